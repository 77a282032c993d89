import { expect, test } from "vitest";
import { strictAddressViolation } from "../../../../src/preflight/upgrade/strict-addresses.ts";

const zeros = "a number has leading zeros";
const mapped = "it is an IPv4-mapped IPv6 address";
const bits = "bits are set beyond the prefix length";

test.each([
  ["10.0.0.1", undefined],
  ["0.0.0.0", undefined],
  ["10.0.0.01", zeros],
  ["010.0.0.1/8", zeros],
  ["10.0.0.0/08", zeros],
  ["::ffff:1.2.3.4", mapped],
  ["::FFFF:1.2.3.4/128", mapped],
  ["::FFFF:0102:0304", mapped],
  ["0:0:0:0:0:ffff:1.2.3.4", mapped],
  ["::ffff:0:1.2.3.4", undefined],
  ["::1.2.3.4", undefined],
  ["::1.2.3.04", zeros],
  ["2001:db8::1", undefined],
  ["2001:0db8::0001", undefined],
  ["2001:db8::/64", undefined],
  ["2001:db8::1/64", bits],
  ["2001:db8:0:0:8000::/65", undefined],
  ["2001:db8:0:0:c000::/65", bits],
  ["::/0", undefined],
  ["0.0.0.0/0", undefined],
  ["10.0.0.0/8", undefined],
  ["10.128.0.0/9", undefined],
  ["10.192.0.0/9", bits],
  ["10.0.0.1/32", undefined],
  ["10.0.0.1/31", bits],
  ["10.0.0", undefined],
  ["2001:db8::1::/64", undefined],
  ["2001:db8", undefined],
  ["", undefined],
  ["example.com", undefined],
  [`${"1".repeat(1_000_000)}.0.0.1`, undefined],
])("judges the address %.30s", (text, violation) => {
  expect(strictAddressViolation(text)).toBe(violation);
});
