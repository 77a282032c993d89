import { expect, test } from "vitest";
import {
  isConversionUnavailable,
  withoutStorageDetails,
} from "../../../../../../src/model/cluster/api/messages/api-message.ts";

const reason =
  'conversion webhook for convert.example.com/v1, Kind=Gadget failed: Post "https://gone.default.svc:443/convert?timeout=30s": service "gone" not found';
const stored = (details: string) =>
  `StorageError: corrupt object, Code: 7, Key: /registry/convert.example.com/gadgets/shop/a, ResourceVersion: 0, AdditionalErrorMsg: ${details}`;

test.each([
  ["1.36", reason, reason],
  ["1.37", stored(reason), reason],
  ["1.37, one object", stored(`object not decodable revision=214: ${reason}`), reason],
  [
    "1.37, a list",
    `unable to transform or decode 2 objects: {\n\t${stored(`object not decodable revision=214: ${reason}`)}\n\t${stored("data from the storage is not transformable revision=2: x")}\n}`,
    reason,
  ],
  [
    "other",
    "StorageError: key not found, Code: 1, Key: a",
    "StorageError: key not found, Code: 1, Key: a",
  ],
])("the message of Kubernetes %s is reduced to its reason", (_, message, expected) => {
  expect(withoutStorageDetails(message)).toBe(expected);
});

test("a reduced message is recognized as an unavailable conversion", () => {
  expect(isConversionUnavailable({ message: withoutStorageDetails(stored(reason)) })).toBe(true);
});
