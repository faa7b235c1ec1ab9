import { openOfficial1Client } from "./fixtures/official-1-client.ts";
import { describeWaysToServe } from "./ways-to-serve.ts";

describeWaysToServe({ name: "SDK 1.x", open: openOfficial1Client, traits: { resourceNotFound: -32_002 } });
