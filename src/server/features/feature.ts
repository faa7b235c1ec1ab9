/** What an author may say about any feature, whatever its kind: its description, and who may use it. */
import type { Icon, MetaObject } from "../../protocol/types/metadata.ts";
import type { MaybePromise } from "../maybe.ts";
import type { Context } from "../requests/context.ts";

/** What authors may say about any feature. */
export interface FeatureDescription {
  /** For people; the name is shown where it is missing. */
  title?: string | undefined;
  /** What it is and when to use it, for models and people. */
  description?: string | undefined;
  /** Pictures for user interfaces. Specification: Basic > General fields > `icons`. */
  icons?: readonly Icon[] | undefined;
  /** Goes into `_meta` as it is. */
  meta?: MetaObject | undefined;
}

/** The rules a feature may state about its callers. */
export interface AccessRules<Value = unknown> {
  /** Scopes the caller's token must all have. */
  scopes?: readonly string[] | undefined;
  /** Whether this caller may see and use it; false makes it unknown to the caller. */
  allow?: ((ctx: Context<Value>) => MaybePromise<boolean>) | undefined;
}
