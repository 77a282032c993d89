/**
 * Whether a text has a format as the API server checks it in custom resources; undefined for formats that are not checked here. It is
 * never stricter than the server.
 */
export function hasFormat(text: string, format: string | undefined): boolean | undefined {
  return format === undefined ? undefined : checks.get(format.replaceAll("-", ""))?.(text);
}

export function isCheckedFormat(format: string): boolean {
  return checks.has(format.replaceAll("-", "")) || ofNumbers.has(format);
}

/** Numbers are judged by their type. */
const ofNumbers: ReadonlySet<string> = new Set(["int32", "int64", "float", "double"]);

/** Dashes in the name of a format mean nothing to the server. */
const checks: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ["ipv4", (text) => isAddress(text) && text.includes(".")],
  ["ipv6", (text) => isAddress(text) && text.includes(":")],
  ["cidr", isNetwork],
  ["date", (text) => /^\d{4}-\d\d-\d\d$/.test(text)],
  ["datetime", (text) => /^\d{4}-\d\d-\d\dt\d\d:\d\d:\d\d(.\d+)?(z|[+-]\d\d:\d\d)$/i.test(text)],
  ["uuid", (text) => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(text)],
]);

/** Numbers may begin with zeros, as in Go before 1.17. */
function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

function isAddress(text: string): boolean {
  if (isIpv4(text)) return true;
  const [, groups = "", last = ""] = /^(.*:)([^:]*)$/.exec(text) ?? [];
  const whole = last.includes(".") ? `${groups}0:0` : text;
  if (last.includes(".") && !isIpv4(last)) return false;
  const [before = "", after, ...more] = whole.split("::");
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":"));
  const all = [...groupsOf(before), ...groupsOf(after ?? "")];
  const isComplete = after === undefined ? all.length === 8 : all.length < 8;
  return more.length === 0 && isComplete && all.every((each) => /^[0-9a-f]{1,4}$/i.test(each));
}

function isNetwork(text: string): boolean {
  const [, address = "", length = ""] = /^(.*)\/(\d+)$/.exec(text) ?? [];
  return isAddress(address) && Number(length) <= (address.includes(":") ? 128 : 32);
}
