import { expect, test } from "vitest";
import { isMetadataHost } from "../../../src/model/address-rules.ts";

test.each([
  "169.254.169.254",
  "169.254.170.2",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "[::ffff:169.254.169.254]",
  "::ffff:a9fe:a9fe",
  "64:ff9b::a9fe:a9fe",
  "fd00:ec2::254",
  "[fd00:0ec2:0:0:0:0:0:0254]",
  "fe80::1%eth0",
  "100.100.100.200",
  "168.63.129.16",
  "metadata.google.internal",
  "METADATA.google.internal.",
  "metadata",
])("%s is a metadata service", (host) => {
  expect(isMetadataHost(host)).toBe(true);
});

test.each([
  "127.0.0.1",
  "10.0.0.7",
  "169.253.169.254",
  "::1",
  "fd00:ec2::255",
  "metadata.acme.example",
  "prometheus.monitoring.svc",
])("%s is an ordinary host", (host) => {
  expect(isMetadataHost(host)).toBe(false);
});
