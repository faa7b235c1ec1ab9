/** Registers one test for one promise, with a store of its own. */
import { it } from "node:test";
import type { Opened, SuiteLimits } from "./opened.ts";
import { TestTime } from "./test-time.ts";

/** What a promise is proved with. */
export interface Place<S> extends Pick<Opened<S>, "store" | "cut" | "countKept"> {
  readonly other: S;
  readonly time: TestTime;
  /** Marks the test as skipped: the backend has not what it takes. */
  skip(why: string): void;
}

/** Registers the proof of a promise. */
export type Promised<S> = (title: string, body: (place: Place<S>) => Promise<void>) => void;

/** @param open - opens an empty store; what it gives is closed after each test */
export function registerFor<S>(open: () => Promise<Opened<S>> | Opened<S>, limits: SuiteLimits): Promised<S> {
  return (title, body) => {
    it(title, async (context) => {
      const opened = await open();
      try {
        await body({
          store: opened.store,
          other: opened.other ?? opened.store,
          time: new TestTime(opened, limits),
          cut: opened.cut,
          countKept: opened.countKept,
          skip: (why) => context.skip(why),
        });
      } finally {
        await opened.close();
      }
    });
  };
}
