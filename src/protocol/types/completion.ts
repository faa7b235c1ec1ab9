/**
 * Completion: suggestions for one argument of a prompt or of a resource template.
 */
import type { FinalResult, RequestParams } from "./message.ts";
import type { BaseMetadata } from "./metadata.ts";

/** Names the prompt whose argument is completed. Specification: Server > Utilities > Completion > Reference Types. */
export interface PromptReference extends BaseMetadata {
  type: "ref/prompt";
}

/** Names the resource or template whose variable is completed. Specification: Server > Utilities > Completion > Reference Types. */
export interface ResourceTemplateReference {
  type: "ref/resource";
  /** A URI or a URI template. */
  uri: string;
}

/** Params of `completion/complete`. Specification: Server > Utilities > Completion > Requesting Completions. */
export interface CompleteRequestParams extends RequestParams {
  ref: PromptReference | ResourceTemplateReference;
  argument: { name: string; value: string };
  /** Arguments that are already decided. */
  context?: { arguments?: { [name: string]: string } };
}

/** Result of `completion/complete`. Specification: Server > Utilities > Completion > Completion Results. */
export interface CompleteResult extends FinalResult {
  completion: {
    /** At most 100, the best first. */
    values: string[];
    /** How many there are in all, which may exceed what was sent. */
    total?: number;
    hasMore?: boolean;
  };
}
