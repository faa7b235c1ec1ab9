/** Entry "./test": what tests of servers and clients need, whatever runs them. */
export { createFakeClock, type FakeClock } from "./clock.ts";
export { connectBy, type Way, ways } from "./ways.ts";
