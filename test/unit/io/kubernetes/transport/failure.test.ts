import { expect, test } from "vitest";
import { refusal } from "../../../../../src/io/kubernetes/transport/failure.ts";

const cause = (field: string, message: string) => ({ reason: "FieldValueInvalid", field, message });

test("faults are reported in the same order, whatever the order of the answer", () => {
  const causes = [
    cause("spec.engine", "Value is immutable"),
    cause("spec.bucket", "too long"),
    cause("spec.engine", "too long"),
  ];
  const messages = [causes, causes.toReversed()].map((listed) => {
    const status = { kind: "Status", code: 422, message: "invalid", details: { causes: listed } };
    const { failure } = refusal(422, JSON.stringify(status));
    return failure.causes.map(({ field, message }) => `${field}: ${message}`);
  });
  const inOrder = [
    "spec.bucket: too long",
    "spec.engine: Value is immutable",
    "spec.engine: too long",
  ];
  expect(messages).toEqual([inOrder, inOrder]);
});

test("a duplicate node port in a Service is a fault of the Service, not of the API server", () => {
  const message = "duplicate nodePort: {TCP 30971}";
  const { failure } = refusal(500, JSON.stringify({ kind: "Status", code: 500, message }));
  const duplicate = { reason: "FieldValueDuplicate", field: "spec.ports" };
  expect(failure.reason).toBe("invalid");
  expect(failure.causes).toEqual([
    { ...duplicate, message: "Duplicate value: nodePort 30971 (TCP)" },
  ]);
});
