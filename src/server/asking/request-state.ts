/**
 * State that travels through the client between two requests: encrypted, authenticated, bound, short-lived, used once.
 *
 * What comes back is untrusted until it opens and everything it is bound to fits. It is never asked for again.
 * Specification: Basic > Multi Round-Trip Requests > Server Requirements.
 */
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from "jose";
import { encodeBase64Url } from "../../base/base64url.ts";
import type { OnDiagnostic } from "../../base/diagnostic.ts";
import { UsageError } from "../../base/error.ts";
import { createId } from "../../base/id.ts";
import type { JsonObject } from "../../jsonrpc/message.ts";
import { InvalidParamsError } from "../../protocol/errors.ts";
import { toCanonicalJson } from "./question-key.ts";
import type { RequestStateSettings } from "./request-state-options.ts";

/** What a state is good for, and nothing else. */
export interface StateBinding {
  /** The verified user; empty where nobody was identified [M-MRTR-010]. */
  readonly principal: string;
  readonly method: string;
  /** The params that make the request what it is: name or URI, and arguments [M-MRTR-012]. */
  readonly subject: JsonObject;
}

/** What the seals of one server share. */
export interface RequestStateHost {
  /** What the server calls itself. */
  readonly server: string;
  readonly now: () => number;
  readonly onDiagnostic: OnDiagnostic;
}

/** What is inside a sealed state. */
interface Sealed {
  readonly id: string;
  readonly server: string;
  readonly principal: string;
  readonly request: string;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly body: unknown;
}

const algorithms = { alg: "dir", enc: "A256GCM" } as const;

/** See the head of this file. */
export class RequestStates {
  readonly maxRounds: number;
  readonly #settings: RequestStateSettings;
  readonly #host: RequestStateHost;
  #isWarned = false;

  constructor(settings: RequestStateSettings, host: RequestStateHost) {
    this.maxRounds = settings.maxRounds;
    this.#settings = settings;
    this.#host = host;
  }

  /**
   * Seals a state.
   *
   * @throws UsageError where it is longer than allowed
   */
  async seal(body: object, binding: StateBinding): Promise<string> {
    const { ttlMs, maxLength, keys, isKeyOwn } = this.#settings;
    const issuedAt = this.#host.now();
    const sealed: Sealed = {
      id: createId(),
      server: this.#host.server,
      principal: binding.principal,
      request: await digestRequest(binding),
      issuedAt,
      expiresAt: issuedAt + ttlMs,
      body,
    };
    const { name, bytes } = await keys().newest();
    const plain = new TextEncoder().encode(JSON.stringify(sealed));
    const header = name === undefined ? algorithms : { ...algorithms, kid: name };
    const state = await new CompactEncrypt(plain).setProtectedHeader(header).encrypt(bytes);
    if (state.length > maxLength) {
      throw new UsageError(
        `the state of the call has ${state.length} characters, more than requestState.maxLength (${maxLength}); let ` +
          "ctx.once give back ids instead of what they stand for",
      );
    }
    if (isKeyOwn() && !this.#isWarned) {
      this.#isWarned = true;
      this.#host.onDiagnostic({
        code: "MCP_D_STATE_KEY",
        message:
          "a question went out whose answer only this process can use, as its key was made up at start; " +
          "give the server a store, or set requestState.keys, where there are several processes, or where they restart",
      });
    }
    return state;
  }

  /**
   * Opens a state, once [M-MRTR-008, M-MRTR-009].
   *
   * @throws InvalidParamsError that names the check which failed
   */
  async open(state: string, binding: StateBinding): Promise<unknown> {
    const sealed = await this.#decrypt(state);
    const left = sealed.expiresAt - this.#host.now();
    if (sealed.server !== this.#host.server) {
      throw refused(`it was sealed by the server ${JSON.stringify(sealed.server)}, not by this one`);
    }
    if (sealed.principal !== binding.principal) {
      throw refused("it belongs to another caller");
    }
    if (sealed.request !== (await digestRequest(binding))) {
      throw refused(`it belongs to another request: method, name or arguments differ from those of ${binding.method}`);
    }
    if (left <= 0) {
      throw refused(`it expired; it is good for ${this.#settings.ttlMs} ms`);
    }
    if (!(await this.#settings.claim(sealed.id, left))) {
      throw refused("it was used before, and each is good for one request");
    }
    return sealed.body;
  }

  async #decrypt(state: string): Promise<Sealed> {
    const { keys, maxLength } = this.#settings;
    if (state.length <= maxLength) {
      for (const toKey of keys().candidates(readKeyName(state))) {
        const key = await toKey();
        if (key === undefined) {
          continue;
        }
        const options = { keyManagementAlgorithms: ["dir"], contentEncryptionAlgorithms: ["A256GCM"] };
        try {
          const { plaintext } = await compactDecrypt(state, key, options);
          return JSON.parse(new TextDecoder().decode(plaintext)) as Sealed;
        } catch {
          // An older key may open it; if none does, that is what the client is told.
        }
      }
    }
    throw refused(
      "it does not open: it is not what was given out, or was sealed with a key that this server does not have, be it " +
        "from requestState.keys or from its store",
    );
  }
}

/** What a state calls its key; unverified, and only good for finding it. */
function readKeyName(state: string): string | undefined {
  try {
    const { kid } = decodeProtectedHeader(state);
    return typeof kid === "string" ? kid : undefined;
  } catch {
    // No state of ours: no key opens it, which is what the client is told.
    return undefined;
  }
}

async function digestRequest({ method, subject }: StateBinding): Promise<string> {
  const text = new TextEncoder().encode(toCanonicalJson([method, subject]));
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", text)));
}

function refused(why: string): InvalidParamsError {
  return new InvalidParamsError(`params.requestState: ${why}; begin the call anew, without it`);
}
