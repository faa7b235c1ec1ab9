// Formats that can be asserted. By default `format` is an annotation, as the standard has it; a caller
// names those to check. Unknown formats are never an error. Every test is linear in its text.

/** Whether a text has a format. */
export type FormatTest = (text: string) => boolean;

/** Which formats to assert: none, all that are known, or a list. */
export type AssertFormats = boolean | readonly string[];

/** The test of a format that is to be asserted; `undefined` for an annotation. */
export function formatTest(name: string, assert: AssertFormats): FormatTest | undefined {
  if (assert === false || !Object.hasOwn(tests, name)) return undefined;
  return assert === true || assert.includes(name) ? tests[name] : undefined;
}

const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function isDate(text: string): boolean {
  const match = /^(\d{4})-(\d\d)-(\d\d)$/u.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : (daysIn[month - 1] ?? 0);
  return day >= 1 && day <= days;
}

function isTime(text: string): boolean {
  const match = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[zZ]|([+-])(\d\d):(\d\d))$/u.exec(text);
  if (match === null) return false;
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [zoneHour, zoneMinute] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  if (hour > 23 || minute > 59 || second > 60 || zoneHour > 23 || zoneMinute > 59) return false;
  const offset = (zoneHour * 60 + zoneMinute) * (match[4] === "-" ? -1 : 1);
  const utc = (hour * 60 + minute - offset + 2 * 1440) % 1440;
  return second < 60 || utc === 1439;
}

function isDateTime(text: string): boolean {
  return /^.{10}[tT]/u.test(text) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isDuration(text: string): boolean {
  if (/^P\d+W$/u.test(text)) return true;
  const time = /^P(?:(?:\d+Y)?(?:\d+M)?(?:\d+D)?)(T(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/u.exec(text);
  const skips = /Y\d+D|H\d+S/u.test(text);
  return time !== null && text !== "P" && time[1] !== "T" && !skips;
}

function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9]\d{0,2})$/u.test(part) && Number(part) <= 255);
}

function isIpv6(text: string): boolean {
  if (text.length > 45) return false;
  const halves = text.split("::");
  if (halves.length > 2) return false;
  const groups = halves.flatMap((half) => (half === "" ? [] : half.split(":")));
  const tail = groups.at(-1) ?? "";
  const hasIpv4 = tail.includes(".");
  if (hasIpv4 && (!isIpv4(tail) || halves.at(-1) === "")) return false;
  const plain = hasIpv4 ? groups.slice(0, -1) : groups;
  const count = plain.length + (hasIpv4 ? 2 : 0);
  return plain.every((group) => /^[\da-fA-F]{1,4}$/u.test(group)) && (halves.length === 2 ? count <= 7 : count === 8);
}

function isHostname(text: string): boolean {
  const labels = text.split(".");
  return (
    text.length <= 253 &&
    labels.every((label) => /^[a-zA-Z\d](?:[a-zA-Z\d-]{0,61}[a-zA-Z\d])?$/u.test(label) && !isBadLabel(label))
  );
}

/** Two hyphens in third and fourth place are reserved for names encoded as `xn--`. */
function isBadLabel(label: string): boolean {
  return label.slice(2, 4) === "--" && !/^xn--[a-z\d-]+$/iu.test(label);
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 1) return false;
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const literal = /^\[(IPv6:)?([^\]]+)\]$/u.exec(domain);
  const domainFits =
    literal === null ? isHostname(domain) : (literal[1] === undefined ? isIpv4 : isIpv6)(literal[2] ?? "");
  if (!domainFits) return false;
  return (
    /^"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"$/u.test(local) ||
    local.split(".").every((atom) => /^[\w!#$%&'*+/=?^`{|}~-]+$/u.test(atom))
  );
}

const forbiddenInUri = /[^\w\-.~:/?#[\]@!$&'()*+,;=%]/u;

function isUriReference(text: string): boolean {
  if (forbiddenInUri.test(text) || /%(?![\da-fA-F]{2})/u.test(text)) return false;
  const match = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/u.exec(text);
  if (match === null || /[[\]]/u.test(`${match[3]}${match[4] ?? ""}`) || /[#[\]]/u.test((match[5] ?? "").slice(1)))
    return false;
  const [, scheme, authority] = match;
  return (
    (scheme === undefined || /^[a-zA-Z][a-zA-Z\d+.-]*$/u.test(scheme)) &&
    (authority === undefined || isAuthority(authority))
  );
}

function isAuthority(text: string): boolean {
  const match = /^(?:([^@[\]]*)@)?(\[([^\]]*)\]|[^:@[\]]*)(?::(\d*))?$/u.exec(text);
  if (match === null) return false;
  return match[3] === undefined || isIpv6(match[3]) || /^v[\da-f]+\.[\w.~!$&'()*+,;=:-]+$/iu.test(match[3]);
}

function isUri(text: string): boolean {
  return /^[a-zA-Z][a-zA-Z\d+.-]*:/u.test(text) && isUriReference(text);
}

function isRegex(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    // That it does not compile is the answer.
    return false;
  }
}

const tests: Readonly<Record<string, FormatTest>> = {
  date: isDate,
  time: isTime,
  "date-time": isDateTime,
  duration: isDuration,
  email: isEmail,
  hostname: isHostname,
  ipv4: isIpv4,
  ipv6: isIpv6,
  uri: isUri,
  "uri-reference": isUriReference,
  uuid: (text) => /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/iu.test(text),
  "json-pointer": (text) => /^(?:\/(?:[^~/]|~[01])*)*$/u.test(text),
  "relative-json-pointer": (text) => /^(?:0|[1-9]\d*)(?:#|(?:\/(?:[^~/]|~[01])*)*)$/u.test(text),
  regex: isRegex,
};
