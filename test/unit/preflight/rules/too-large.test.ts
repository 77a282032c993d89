import { expect, test } from "vitest";
import { tooLarge } from "../../../../src/preflight/rules/too-large.ts";
import { requirePlan } from "../../../support/plan/plan-text.ts";
import { findingsText } from "./run-rule.ts";

const blob = (length: number, of = "apiVersion: shop.example.com/v1, kind: Blob") =>
  `app/big: {${of}, metadata: {name: big}, spec: {text: "${"x".repeat(length)}"}}`;

const data = (key: string, bytes: number) =>
  `app/big: {apiVersion: v1, kind: ConfigMap, metadata: {name: big}, ${key}: {a: "${Buffer.alloc(bytes).toString("base64")}"}}`;

test.each([
  [
    "a custom resource of 1.6 MB",
    blob(1_600_000),
    "warning: Blob shop/big is too large to be stored",
  ],
  ["a custom resource of 1.5 MB", blob(1_500_000), ""],
  ["a smaller stored form", blob(1_600_000, "apiVersion: v1, kind: Pod"), ""],
  ["bytes of 1 MiB, which are longer in JSON", data("binaryData", 1024 * 1024), ""],
  [
    "keys with additional field owners",
    data("data", 1_200_000),
    "warning: ConfigMap shop/big is too large to be stored",
  ],
])("etcd stores an object in one piece: %s", { tags: "slow" }, (_, declared, expected) => {
  expect(findingsText(tooLarge, requirePlan({ declared }), {}).split("\n")[0]).toBe(expected);
});
