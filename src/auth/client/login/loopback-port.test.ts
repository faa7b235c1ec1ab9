import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { derivePorts } from "./loopback-port.ts";

describe("derivePorts", () => {
  it("gives the same ports for the same name at every start and in every version [PP-092]", () => {
    assert.deepEqual(derivePorts("Notes"), derivePorts("Notes"));
    assert.deepEqual(derivePorts("Notes"), [59924, 51486, 58487, 61936, 49540]);
  });

  it("gives five different ports of the range that is nobody's, none of them a well-known one", () => {
    for (let index = 0; index < 2_000; index += 1) {
      const ports = derivePorts(`program ${index}`);
      assert.equal(new Set(ports).size, 5);
      assert.ok(ports.every((port) => port >= 49_152 && port <= 65_535 && ![50_000, 50_051, 51_820].includes(port)));
    }
  });

  it("spreads names over the range", () => {
    const first = new Set(Array.from({ length: 1_000 }, (_, index) => derivePorts(`program ${index}`)[0]));
    assert.ok(first.size > 930, `only ${first.size} ports for 1000 names`);
  });
});
