import { expect, test } from "vitest";
import { parse } from "yaml";
import type { KubeObject } from "../../../../src/model/object.ts";
import {
  apiVersionMigrationPatch,
  versionsToMigrate,
} from "../../../../src/ssa/steps/migrate-api-version.ts";

const gadget: KubeObject = parse(`
apiVersion: shop.example/v2
kind: Gadget
metadata:
  name: first
  resourceVersion: "7"
  managedFields:
    - {manager: us, operation: Apply, apiVersion: shop.example/v1, fieldsV1: {"f:spec": {"f:a": {}}}}
    - {manager: them, operation: Update, apiVersion: shop.example/v2, fieldsV1: {"f:spec": {"f:b": {}}}}
    - {manager: them, operation: Update, apiVersion: shop.example/v1, fieldsV1: {"f:spec": {"f:c": {}}}}
    - {manager: them, operation: Update, subresource: status, apiVersion: shop.example/v1, fieldsV1: {"f:status": {}}}
    - {manager: scaler, operation: Update, subresource: scale, apiVersion: autoscaling/v1, fieldsV1: {"f:spec": {}}}
`);

test("owners in other versions of the same API are rewritten, and equal entries are merged", () => {
  expect(versionsToMigrate(gadget, "shop.example/v2")).toEqual(["shop.example/v1"]);
  const [guard, { value } = {}] = apiVersionMigrationPatch(gadget, "shop.example/v2");
  expect(guard).toEqual({ op: "replace", path: "/metadata/resourceVersion", value: "7" });
  expect(value).toEqual(
    parse(`
    - {manager: us, operation: Apply, apiVersion: shop.example/v2, fieldsV1: {"f:spec": {"f:a": {}}}}
    - {manager: them, operation: Update, apiVersion: shop.example/v2, fieldsV1: {"f:spec": {"f:b": {}, "f:c": {}}}}
    - {manager: them, operation: Update, subresource: status, apiVersion: shop.example/v2, fieldsV1: {"f:status": {}}}
    - {manager: scaler, operation: Update, subresource: scale, apiVersion: autoscaling/v1, fieldsV1: {"f:spec": {}}}
    `),
  );
});

test("nothing is rewritten if all owners are in one version", () => {
  const managedFields = apiVersionMigrationPatch(gadget, "shop.example/v2")[1]?.value ?? [];
  const now = { ...gadget, metadata: { ...gadget.metadata, managedFields } };
  expect(versionsToMigrate(now, "shop.example/v2")).toEqual([]);
});
