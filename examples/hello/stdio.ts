// #region serve
import { serve } from "parley-mcp/serve";
import app from "./app.ts";

await serve(app);
// #endregion
