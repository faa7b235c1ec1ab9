// What `connect` takes and gives, compiled only.

import type { expectTypeOf } from "expect-type";
import { connect } from "parley-mcp/connect";
import { connect as connectNode } from "parley-mcp/connect/node";
import { defineServer } from "parley-mcp/server";

declare const expectType: typeof expectTypeOf;
const app = defineServer({ name: "demo", version: "1.0.0" });

/** A function of somebody's own can pass on whatever `connect` takes. */
export const open = (target: Parameters<typeof connect>[0]): ReturnType<typeof connect> => connect(target);
export const openNode = (target: Parameters<typeof connectNode>[0]): ReturnType<typeof connectNode> =>
  connectNode(target);

expectType(connect(app)).resolves.toHaveProperty("tools");
expectType<Parameters<typeof connectNode>[0]>().extract<string>().toEqualTypeOf<string>();
// @ts-expect-error: a number is nothing to connect to
void connect(5);
