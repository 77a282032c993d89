import { expect, test } from "vitest";
import { refusal } from "../../../src/io/kubernetes/transport/failure.ts";

const cause = (field: string, message: string) => ({ reason: "FieldValueInvalid", field, message });

test("what the server finds wrong is told in one order, whatever the order of its answer", () => {
  const causes = [
    cause("spec.engine", "Value is immutable"),
    cause("spec.bucket", "too long"),
    cause("spec.engine", "too long"),
  ];
  const told = [causes, causes.toReversed()].map((listed) => {
    const status = { kind: "Status", code: 422, message: "invalid", details: { causes: listed } };
    const { failure } = refusal(422, JSON.stringify(status));
    return failure.causes.map(({ field, message }) => `${field}: ${message}`);
  });
  const inOrder = [
    "spec.bucket: too long",
    "spec.engine: Value is immutable",
    "spec.engine: too long",
  ];
  expect(told).toEqual([inOrder, inOrder]);
});
