/**
 * Entries as one text in a keychain, in pieces that every keychain takes. Not the choice between keychain and fallback.
 *
 * The entry `head` names the pieces of the text that counts. A write adds pieces, replaces the head and removes the pieces
 * before it, so that whoever is killed leaves one whole text; pieces that do not count are removed by the next write.
 */
import type { OnDiagnostic } from "../../../base/diagnostic.ts";
import { isMcpError } from "../../../base/error.ts";
import { createId } from "../../../base/id.ts";
import { isObject, parseJson } from "../../../base/json.ts";
import type { Entries } from "../../../store/entry.ts";
import { StoreError } from "../../../store/error.ts";
import { type CredentialDocument, decodeEntries, encodeEntries } from "./credential-document.ts";
import type { FileLock } from "./file-lock.node.ts";
import type { HeldLock } from "./lock-claim.node.ts";

/** The part of `@napi-rs/keyring` that is used. */
export interface KeyringModule {
  readonly AsyncEntry: new (service: string, account: string, options?: KeyringOptions) => KeyringEntry;
}

/** Which keychain, where a system has several. */
export interface KeyringOptions {
  linux?: { store?: "secret-service" };
}

/** One entry of a keychain. */
export interface KeyringEntry {
  getPassword(): Promise<string | null | undefined>;
  setPassword(password: string): Promise<void>;
  deletePassword(): Promise<boolean>;
}

/** What a {@link KeychainDocument} is made from. */
export interface KeychainDocumentOptions {
  readonly keyring: KeyringModule;
  readonly service: string;
  readonly lock: FileLock;
  readonly report: OnDiagnostic;
}

/** Windows takes 2,560 bytes, two for each of these. */
const pieceLength = 1_200;
const maxPieces = 220;
/** How often a reader begins again because a writer has removed pieces under its eyes. */
const maxReads = 10;

/** The text that counts, and what a write may have left. */
interface Head {
  readonly id: string;
  readonly pieces: number;
  /** Pieces that do not count and may be there: of the text that is being written, or of the one before. */
  readonly spare?: Omit<Head, "spare"> | undefined;
}

/** The head of a keychain that has no text yet. */
const nothing: Head = { id: "none", pieces: 0 };

/** See the head of this file. */
export class KeychainDocument implements CredentialDocument {
  readonly #options: KeychainDocumentOptions;

  constructor(options: KeychainDocumentOptions) {
    this.#options = options;
  }

  /** Throws where the keychain cannot be read or, as far as that is not known, written. */
  async probe(): Promise<void> {
    if ((await this.#entry("head").getPassword()) == null) {
      const account = `probe-${createId(8)}`;
      await this.#entry(account).setPassword("probe");
      await this.#entry(account).deletePassword();
    }
  }

  read(): Promise<Entries> {
    return this.#guard("read", async () => {
      const found = await this.#load();
      return found.entries;
    });
  }

  change(edit: (entries: Entries) => boolean): Promise<void> {
    return this.#guard("written", () =>
      this.#options.lock.run(async (held) => {
        const { entries, head } = await this.#load();
        if (edit(entries)) {
          await this.#write(held, head, encodeEntries(entries));
        }
      }),
    );
  }

  async #load(): Promise<{ readonly entries: Entries; readonly head: Head }> {
    let seen: string | undefined;
    for (let attempt = 1; attempt <= maxReads; attempt += 1) {
      const text = (await this.#entry("head").getPassword()) ?? undefined;
      if (text === undefined) {
        return { entries: new Map(), head: nothing };
      }
      const head = parseHead(text);
      const entries = head && (await this.#readPieces(head));
      if (head !== undefined && entries !== undefined) {
        return { entries, head };
      }
      if (text === seen) {
        this.#report();
        return { entries: new Map(), head: head ?? nothing };
      }
      seen = text;
    }
    throw new StoreError("unavailable", "the keychain was changed all the time while it was read; try again");
  }

  async #readPieces({ id, pieces }: Head): Promise<Entries | undefined> {
    if (pieces === 0) {
      return new Map();
    }
    let text = "";
    for (let index = 0; index < pieces; index += 1) {
      const piece = await this.#entry(`${id}-${index}`).getPassword();
      if (piece == null) {
        return undefined;
      }
      text += piece;
    }
    const decoded = decodeEntries(text);
    if (!decoded.ok && decoded.reason === "newer") {
      throw new StoreError("unavailable", "a later version of this library wrote the credentials; update this one");
    }
    return decoded.ok ? decoded.entries : undefined;
  }

  async #write(held: HeldLock, before: Head, text: string): Promise<void> {
    const pieces = toPieces(text);
    if (pieces.length > maxPieces) {
      throw new StoreError(
        "full",
        `expected at most ${maxPieces * pieceLength} characters in the keychain; delete logins that are not needed`,
      );
    }
    const head: Head = { id: createId(16), pieces: pieces.length };
    await held.assertHeld();
    await this.#remove(before.spare);
    await this.#setHead({ ...before, spare: head });
    for (const [index, piece] of pieces.entries()) {
      await this.#entry(`${head.id}-${index}`).setPassword(piece);
    }
    await held.assertHeld();
    await this.#setHead({ ...head, spare: { id: before.id, pieces: before.pieces } });
    await this.#remove(before);
  }

  #setHead(head: Head): Promise<void> {
    return this.#entry("head").setPassword(JSON.stringify(head));
  }

  async #remove({ id, pieces }: Head = nothing): Promise<void> {
    for (let index = 0; index < pieces; index += 1) {
      await this.#entry(`${id}-${index}`).deletePassword();
    }
  }

  #entry(account: string): KeyringEntry {
    const { keyring, service } = this.#options;
    return new keyring.AsyncEntry(service, account, { linux: { store: "secret-service" } });
  }

  #report(): void {
    this.#options.report({
      code: "MCP_D_KEYCHAIN_DAMAGED",
      message: `what the keychain holds for "${this.#options.service}" is incomplete or damaged; logins begin anew`,
    });
  }

  async #guard<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isMcpError(error)) {
        throw error;
      }
      throw new StoreError("unavailable", `the keychain could not be ${what}; unlock it and try again`, {
        cause: error,
      });
    }
  }
}

/** Only ASCII, so that no keychain changes a character and no cut goes through one. */
function toPieces(text: string): string[] {
  const ascii = text.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return ascii.match(new RegExp(`[^]{1,${pieceLength}}`, "g")) ?? [];
}

function parseHead(text: string): Head | undefined {
  const parsed = parseJson(text, 4);
  if (!parsed.ok || !isHead(parsed.value)) {
    return undefined;
  }
  const { id, pieces, spare } = parsed.value;
  return { id, pieces, spare: isHead(spare) ? { id: spare.id, pieces: spare.pieces } : undefined };
}

function isHead(value: unknown): value is Head {
  return (
    isObject(value) &&
    typeof value.id === "string" &&
    /^[\w-]{1,64}$/.test(value.id) &&
    Number.isSafeInteger(value.pieces) &&
    Number(value.pieces) >= 0 &&
    Number(value.pieces) <= maxPieces
  );
}
