// The same over HTTP, on the port that the environment names.

import { serve } from "parley-mcp/serve";
import app from "./app.ts";

const { url } = await serve(app, { http: { port: Number(process.env.PORT ?? 3000) } });
console.log(url);
