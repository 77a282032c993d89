import { expect, test } from "vitest";
import {
  admissionKinds,
  canBlockRequests,
  fieldsCopiedToPods,
  governedNamespace,
  hasDefault,
  isLimit,
  isNamespacePolicy,
  isPodClass,
  placesPods,
  podClassKinds,
  podDefaultKinds,
} from "../../../src/model/governors.ts";
import type { GroupKind } from "../../../src/model/kinds.ts";

const admission = "admissionregistration.k8s.io";
const kinds: readonly GroupKind[] = [
  ...["ConfigMap", "LimitRange", "Namespace", "PersistentVolume", "PersistentVolumeClaim"].map(
    core,
  ),
  ...["Pod", "ResourceQuota", "Service", "ServiceAccount"].map(core),
  ...admissionKinds.map((kind) => ({ group: admission, kind })),
  { group: admission, kind: "KindOfALaterVersion" },
  { group: "apiextensions.k8s.io", kind: "CustomResourceDefinition" },
  { group: "apiregistration.k8s.io", kind: "APIService" },
  { group: "apps", kind: "Deployment" },
  { group: "networking.k8s.io", kind: "IngressClass" },
  { group: "node.k8s.io", kind: "RuntimeClass" },
  { group: "scheduling.k8s.io", kind: "PriorityClass" },
  { group: "storage.k8s.io", kind: "StorageClass" },
  { group: "example.com", kind: "Namespace" },
  { group: "example.com", kind: "PriorityClass" },
];

function core(kind: string): GroupKind {
  return { group: "", kind };
}

test.each([
  {
    answer: "judge all new objects of a namespace",
    isIt: isNamespacePolicy,
    expected: "LimitRange Namespace ResourceQuota",
  },
  {
    answer: "count as an object with an empty spec after their deletion",
    isIt: isLimit,
    expected: "LimitRange ResourceQuota",
  },
  {
    answer: "are the last of their stage",
    isIt: canBlockRequests,
    expected: `${admissionKinds.join(" ")} KindOfALaterVersion APIService`,
  },
  {
    answer: "must exist before a Pod that names them",
    isIt: isPodClass,
    expected: "RuntimeClass PriorityClass",
  },
  {
    answer: "give fields to a new Pod",
    isIt: (kind: GroupKind) => fieldsCopiedToPods(kind) !== undefined,
    expected: "LimitRange ServiceAccount RuntimeClass PriorityClass",
  },
  {
    answer: "have a default",
    isIt: hasDefault,
    expected: "IngressClass PriorityClass StorageClass",
  },
  {
    answer: "decide where Pods fit",
    isIt: placesPods,
    expected:
      "LimitRange Namespace PersistentVolume PersistentVolumeClaim ResourceQuota MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding ValidatingWebhookConfiguration RuntimeClass PriorityClass StorageClass",
  },
])("These kinds $answer: $expected", ({ isIt, expected }) => {
  const found = kinds.filter(isIt).map(({ kind }) => kind);
  expect(found.toSorted()).toEqual(expected.split(" ").toSorted());
});

test("the PriorityClass of a Pod is checked before its RuntimeClass", () => {
  expect(podClassKinds.map(({ podField }) => podField)).toEqual([
    "priorityClassName",
    "runtimeClassName",
  ]);
});

test("the lists of kinds name groups and agree with the table", () => {
  expect(podDefaultKinds).toContain("/ServiceAccount");
  expect(admissionKinds).toHaveLength(6);
});

test("a Namespace governs itself, other policies their namespace", () => {
  const shop = { group: "", kind: "Namespace", namespace: "", name: "shop" };
  const quota = { group: "", kind: "ResourceQuota", namespace: "shop", name: "usual" };
  expect([shop, quota].map(governedNamespace)).toEqual(["shop", "shop"]);
});
