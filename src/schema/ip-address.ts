/**
 * Reports whether a string is an IPv4 address.
 * Numbers can have leading zeros, as in Go before 1.17.
 */
function isIpv4(text: string): boolean {
  const parts = text.split(".");
  return parts.length === 4 && parts.every((part) => /^\d+$/.test(part) && Number(part) <= 255);
}

export function isIpAddress(text: string): boolean {
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

export function isCidr(text: string): boolean {
  const [, address = "", length = ""] = /^(.*)\/(\d+)$/.exec(text) ?? [];
  return isIpAddress(address) && Number(length) <= (address.includes(":") ? 128 : 32);
}
