/**
 * What a server demands in `WWW-Authenticate`: read with tolerance, found by scheme, written with none.
 *
 * Nothing here acts on a challenge, and what stands in one is a claim of the server until it is checked.
 * Specification: Basic > Authorization; RFC 9110 section 11, RFC 6750 section 3, RFC 9449 section 7, RFC 9470 section 3.
 */
import { UsageError } from "../base/error.ts";
import { ChallengeScanner } from "./challenge-scanner.ts";
import { parseScope } from "./scope.ts";

/** One challenge of a header. */
export interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  /** What follows the scheme in one piece, where no parameters do. */
  readonly token68?: string;
  /** Names in lower case. */
  readonly parameters: ReadonlyMap<string, string>;
}

/** What a header says, and what is wrong with it. */
export interface ParsedChallenges {
  /** In order. */
  readonly challenges: readonly Challenge[];
  /** For diagnostics: none of them shows a value. */
  readonly problems: readonly string[];
}

/** A challenge that a client of the protocol can meet. */
export interface AuthChallenge {
  readonly scheme: "bearer" | "dpop";
  readonly error: string | undefined;
  /** For people: without control characters, 300 characters at most. */
  readonly errorDescription: string | undefined;
  /** The scopes that are needed; `undefined` where none are named. */
  readonly scopes: readonly string[] | undefined;
  /** As sent, not checked. */
  readonly resourceMetadata: string | undefined;
  readonly acrValues: string | undefined;
  /** In seconds. */
  readonly maxAge: number | undefined;
  /** What is wrong with the header, for diagnostics. */
  readonly problems: readonly string[];
}

const maxLength = 16_384;
const maxChallenges = 32;
const maxParameters = 64;
const maxProblems = 16;
const maxDescriptionLength = 300;

/**
 * Reads challenges: several in one header or in many, in any order. What cannot be read is left out and named in
 * `problems`; of a parameter that comes twice, the first counts. Never throws.
 *
 * @param values - the header, or all of them; `null` where there is none
 */
export function parseChallenges(values: string | readonly string[] | null): ParsedChallenges {
  const text = typeof values === "string" ? values : (values ?? []).join(", ");
  if (text.length > maxLength) {
    return {
      challenges: [],
      problems: [`expected at most ${maxLength} characters, got ${text.length}: nothing is read`],
    };
  }
  const reading = new ChallengeReading(new ChallengeScanner(text));
  reading.run();
  return { challenges: reading.challenges, problems: [...reading.problems].slice(0, maxProblems) };
}

/** The first challenge of a scheme. */
export function findScheme(challenges: readonly Challenge[], scheme: string): Challenge | undefined {
  const wanted = scheme.toLowerCase();
  return challenges.find((challenge) => challenge.scheme === wanted);
}

/**
 * Writes one challenge, parameters in the order given; those that are `undefined` are left out.
 *
 * @throws {@link UsageError} for a name that is no token, and for a value that is not printable ASCII
 */
export function encodeChallenge(scheme: string, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  assertToken(scheme);
  const pairs = Object.entries(parameters).flatMap(([name, value]) => {
    assertToken(name);
    if (value !== undefined && !/^[\x20-\x7e]*$/.test(value)) {
      throw new UsageError(`"${name}" of a challenge: expected printable ASCII, got other characters`);
    }
    return value === undefined ? [] : [`${name}="${value.replace(/["\\]/g, "\\$&")}"`];
  });
  return pairs.length === 0 ? scheme : `${scheme} ${pairs.join(", ")}`;
}

/**
 * The Bearer or DPoP challenge of an answer. Of several, the one that says most about this request counts: first one with
 * an error, then one with the address of metadata; that address is taken from another one where it has none itself.
 *
 * @returns `undefined` where there is no such challenge
 */
export function readAuthChallenge(response: Response): AuthChallenge | undefined {
  const { challenges, problems } = parseChallenges(response.headers.get("www-authenticate"));
  const candidates = challenges.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const having = (name: string): Challenge | undefined => candidates.find(({ parameters }) => parameters.has(name));
  const chosen = having("error") ?? having("resource_metadata") ?? candidates[0];
  if (chosen === undefined) {
    return undefined;
  }
  const own = chosen.parameters;
  const scopes = parseScope(own.get("scope") ?? "");
  const maxAge = own.get("max_age");
  const isAge = maxAge === undefined || /^\d{1,10}$/.test(maxAge);
  return {
    scheme: chosen.scheme === "dpop" ? "dpop" : "bearer",
    error: sanitize(own.get("error")),
    errorDescription: sanitize(own.get("error_description")),
    scopes: scopes.length === 0 ? undefined : scopes,
    resourceMetadata: own.get("resource_metadata") ?? having("resource_metadata")?.parameters.get("resource_metadata"),
    acrValues: sanitize(own.get("acr_values")),
    maxAge: isAge && maxAge !== undefined ? Number(maxAge) : undefined,
    problems: isAge ? problems : [...problems, `"max_age": expected a whole number of seconds, got something else`],
  };
}

/** A text of the server as it may be shown and logged; `undefined` where nothing is left of it. */
function sanitize(text: string | undefined): string | undefined {
  const clean = [...(text ?? "").replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, "")]
    .slice(0, maxDescriptionLength)
    .join("");
  return clean === "" ? undefined : clean;
}

function assertToken(text: string): void {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(text)) {
    throw new UsageError(`expected a name of letters, digits and - . _ in a challenge, got ${JSON.stringify(text)}`);
  }
}

/** One pass over a header. */
class ChallengeReading {
  readonly challenges: Challenge[] = [];
  /** Each once, however often it occurs. */
  readonly problems = new Set<string>();
  readonly #scanner: ChallengeScanner;
  /** Parameters of the challenge that is being read; `undefined` before the first one. */
  #open: Map<string, string> | undefined;

  constructor(scanner: ChallengeScanner) {
    this.#scanner = scanner;
  }

  run(): void {
    this.#scanner.skipSeparators();
    for (let startsElement = true; !this.#scanner.isAtEnd; startsElement = this.#scanner.skipSeparators()) {
      const name = this.#scanner.readToken().toLowerCase();
      if (name === "") {
        this.problems.add("expected a scheme or a parameter, got another character");
        this.#scanner.skipElement();
      } else if (this.#scanner.readEquals()) {
        this.#readParameter(name);
      } else if (startsElement) {
        this.#readScheme(name);
      } else {
        this.problems.add("expected a comma between the elements of a challenge, got a word");
      }
      if (this.challenges.length > maxChallenges) {
        this.challenges.pop();
        this.problems.add(`expected at most ${maxChallenges} challenges, got more: the others are left out`);
        return;
      }
    }
  }

  #readScheme(scheme: string): void {
    if (!this.#scanner.skipSpace() && !this.#scanner.isAtBoundary) {
      this.problems.add("expected a space behind a scheme, got another character");
      this.#scanner.skipElement();
      return;
    }
    const token68 = this.#scanner.readToken68();
    const parameters = new Map<string, string>();
    this.#open = parameters;
    this.challenges.push(token68 === undefined ? { scheme, parameters } : { scheme, token68, parameters });
  }

  #readParameter(name: string): void {
    const value = this.#scanner.readValue();
    if (value === undefined) {
      this.problems.add(`${show(name)}: expected a closing quote, got the end of the header`);
    } else if (this.#open === undefined) {
      this.problems.add(`${show(name)}: expected a scheme before the first parameter, got none`);
    } else if (this.#open.has(name)) {
      this.problems.add(`${show(name)}: expected once in a challenge, got it again: the first one counts`);
    } else if (this.#open.size >= maxParameters) {
      this.problems.add(`expected at most ${maxParameters} parameters, got more: the others are left out`);
    } else {
      this.#open.set(name, value);
    }
  }
}

function show(name: string): string {
  return `"${name.slice(0, 40)}"`;
}
