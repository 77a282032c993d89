import { isDnsLabel, isDnsSubdomain } from "../model/cluster/object-names.ts";
import { matchesPattern } from "../model/text/pattern.ts";

/**
 * Reports whether a string is an IPv4 address.
 * Numbers can have leading zeros, as in Go before 1.17.
 */
function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isIpAddress(text: string): boolean {
  if (isIpv4(text)) return true;
  const [, groups = "", last = ""] = /^(.*:)([^:]*)$/.exec(text) ?? [];
  const whole = last.includes(".") ? `${groups}0:0` : text;
  if (last.includes(".") && !isIpv4(last)) return false;
  const [before = "", after, ...more] = whole.split("::");
  const splitGroups = (part: string) => (part === "" ? [] : part.split(":"));
  const all = [...splitGroups(before), ...splitGroups(after ?? "")];
  const isComplete = after === undefined ? all.length === 8 : all.length < 8;
  return more.length === 0 && isComplete && all.every((each) => /^[0-9a-f]{1,4}$/i.test(each));
}

function isCidr(text: string): boolean {
  const [, address = "", length = ""] = /^(.*)\/(\d+)$/.exec(text) ?? [];
  return isIpAddress(address) && Number(length) <= (address.includes(":") ? 128 : 32);
}

/**
 * Reports whether a string has a format, as the API server checks it in custom resources.
 * The API server accepts any string for unknown formats. Undefined if qvs can't decide.
 */
export function hasFormat(text: string, format: string): boolean | undefined {
  const name = format.replaceAll("-", "");
  const check = checks.get(name);
  if (check !== undefined) return check(text);
  return uncheckedFormats.has(name) ? undefined : true;
}

type FormatCheck = (text: string) => boolean | undefined;

/** Formats of numbers whose digits qvs doesn't check. */
const uncheckedFormats: ReadonlySet<string> = new Set(["isbn", "isbn10", "isbn13", "creditcard"]);

const uuid = "[0-9a-f]{4}-?";
const rgbComponent = "(0|[1-9]\\d?|1\\d\\d?|2[0-4]\\d|25[0-5])";

/** The checks by format name. The API server ignores dashes in the name. */
const checks: ReadonlyMap<string, FormatCheck> = new Map<string, FormatCheck>([
  ["ipv4", (text) => isIpAddress(text) && text.includes(".")],
  ["ipv6", (text) => isIpAddress(text) && text.includes(":")],
  ["cidr", isCidr],
  ["mac", isHardwareAddress],
  ["uri", isUri],
  ["email", isEmail],
  ["hostname", isHostname],
  ["date", isDate],
  ["datetime", isDateTime],
  ["duration", isDuration],
  ["uuid", matchesRegex(`^[0-9a-f]{8}-?(${uuid}){3}[0-9a-f]{12}$`, "i")],
  ["uuid3", matchesRegex(`^[0-9a-f]{8}-?${uuid}3[0-9a-f]{3}-?${uuid}[0-9a-f]{12}$`, "i")],
  [
    "uuid4",
    matchesRegex(`^[0-9a-f]{8}-?${uuid}4[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, "i"),
  ],
  [
    "uuid5",
    matchesRegex(`^[0-9a-f]{8}-?${uuid}5[0-9a-f]{3}-?[89ab][0-9a-f]{3}-?[0-9a-f]{12}$`, "i"),
  ],
  ["bsonobjectid", matchesRegex("^[0-9a-f]{24}$", "i")],
  [
    "byte",
    matchesRegex("^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$"),
  ],
  ["ssn", matchesRegex("^\\d{3}[- ]\\d{2}[- ]\\d{4}$")],
  ["hexcolor", matchesRegex("^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$")],
  [
    "rgbcolor",
    matchesRegex(
      `^rgb\\(\\s*${rgbComponent}\\s*,\\s*${rgbComponent}\\s*,\\s*${rgbComponent}\\s*\\)$`,
    ),
  ],
  // The API server has these formats only since Kubernetes 1.34.
  ["k8sshortname", (text) => (isDnsLabel(text) ? true : undefined)],
  ["k8slongname", (text) => (isDnsSubdomain(text) ? true : undefined)],
]);

function matchesRegex(pattern: string, flags = ""): FormatCheck {
  const expression = new RegExp(pattern, flags);
  return (text) => expression.test(text);
}

/** Checks a MAC address like Go's `net.ParseMAC`. Since Go 1.26, it needs no separators. */
function isHardwareAddress(text: string): boolean | undefined {
  if (/^([0-9a-f]{12}|[0-9a-f]{16}|[0-9a-f]{40})$/i.test(text)) return undefined;
  const bytes = text.replaceAll(/[.:-]/g, "").length / 2;
  const isPaired = /^[0-9a-f]{2}(([:-])[0-9a-f]{2})(\2[0-9a-f]{2})*$/i.test(text);
  const isDotted = /^[0-9a-f]{4}(\.[0-9a-f]{4})+$/i.test(text);
  return (isPaired || isDotted) && [6, 8, 20].includes(bytes);
}

/** Checks a URI like Go's `url.ParseRequestURI`. Undefined for unusual URIs. */
function isUri(text: string): boolean | undefined {
  if (text === "*") return true;
  if ([...text].some((each) => each < " " || each === "\u007f")) return false;
  const [, scheme, rest = text] = /^([a-zA-Z][a-zA-Z0-9+.-]*):(.*)$/.exec(text) ?? [];
  if (scheme === undefined && !text.startsWith("/")) return false;
  const isPlain = /^(\/\/[A-Za-z0-9._-]*(:\d*)?)?(\/(?!\/)|\?|$)[\w./?&=~+,;!$'()*@:#-]*$/.test(
    rest,
  );
  const isOpaque = scheme !== undefined && /^[\w.@+-][\w./?&=~+,;!$'()*@:#-]*$/.test(rest);
  return isPlain || isOpaque ? true : undefined;
}

/**
 * Checks an address like Go's `mail.ParseAddress`. Undefined for addresses with names or quotes.
 */
function isEmail(text: string): boolean | undefined {
  if (!text.includes("@")) return false;
  const atoms = "[\\w!#$%&'*+/=?^`{|}~-]+(\\.[\\w!#$%&'*+/=?^`{|}~-]+)*";
  return new RegExp(`^${atoms}@${atoms}$`).test(text) ? true : undefined;
}

const hostname =
  "^([a-zA-Z0-9\\p{S}\\p{L}]((-?[a-zA-Z0-9\\p{S}\\p{L}]{0,62})?)|([a-zA-Z0-9\\p{S}\\p{L}](([a-zA-Z0-9-\\p{S}\\p{L}]{0,61}[a-zA-Z0-9\\p{S}\\p{L}])?)(\\.)){1,}([a-zA-Z\\p{L}]){2,63})$";

/** Checks a hostname. Its lengths are in bytes. */
function isHostname(text: string): boolean | undefined {
  const byteLength = (part: string) => new TextEncoder().encode(part).length;
  if (byteLength(text) > 255 || text.split(".").some((part) => byteLength(part) > 63)) return false;
  return matchesPattern(text, hostname);
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || Number(month) < 1 || Number(month) > 12) return false;
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return Number(day) >= 1 && Number(day) <= (lengths[Number(month) - 1] ?? 0);
}

function isDateTime(text: string): boolean {
  const [date = "", time] = text.toLowerCase().split("t");
  const found = /^(\d\d):(\d\d):(\d\d)(.\d+)?(z|[+-]\d\d:\d\d)$/.exec(time ?? "");
  const [hour, minute, second] = (found?.slice(1, 4) ?? []).map(Number);
  const isInDay = (hour ?? 24) <= 23 && (minute ?? 60) <= 59 && (second ?? 60) <= 59;
  return isDate(date) && found !== null && isInDay;
}

/** Checks a duration in Go's format, or with an integer and a unit name anywhere in the string. */
function isDuration(text: string): boolean | undefined {
  if (/\d{10}/.test(text)) return undefined;
  const isGoDuration = /^[-+]?(0|((\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+)$/.test(text);
  return (
    isGoDuration ||
    [...text.matchAll(/(?<!\d)\d+\s*([A-Za-zµ]+)/g)].some(([, unit = ""]) => isUnit(unit))
  );
}

function isUnit(unit: string): boolean {
  const isShort = /^(ns|us|µs|ms|s|m|h|hr|d|w|wk)$/i.test(unit);
  return isShort || /^(nano|micro|milli|sec|min|hour|day|week)/i.test(unit);
}
