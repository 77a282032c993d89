import { copy, drop, insert, moveUp, remove, set } from "../edits.ts";
import type { Batch } from "../play-batch.ts";

const examples = "kubernetes:test/e2e/testing-manifests" as const;
const equipment = "kubernetes:cluster/addons" as const;

/** Infrastructure of a cluster: roles, classes and operators. */
export const addons: readonly Batch[] = [
  {
    what: "addons with roles",
    from: [
      { from: `${equipment}/metrics-server/metrics-server-deployment.yaml` },
      { from: `${equipment}/metrics-server/resource-reader.yaml` },
      { from: `${equipment}/metrics-server/metrics-server-service.yaml` },
      {
        from: `${equipment}/dns-horizontal-autoscaler/dns-horizontal-autoscaler.yaml`,
        only: [
          "ServiceAccount/kube-dns-autoscaler",
          "ClusterRole/system:kube-dns-autoscaler",
          "ClusterRoleBinding/system:kube-dns-autoscaler",
        ],
      },
      { from: `${equipment}/storage-class/local/default.yaml` },
    ],
    changes: [
      ["one rule fewer", remove("ClusterRole/system:metrics-server", "rules.1")],
      ["a rule moved", moveUp("ClusterRole/system:kube-dns-autoscaler", "rules.3")],
      [
        "a multi-line string",
        set(
          "ConfigMap/metrics-server-config",
          "data.NannyConfiguration",
          "kind: NannyConfiguration\n",
        ),
      ],
      [
        "a key removed",
        set("ConfigMap/metrics-server-config", "data.more", "1"),
        remove("ConfigMap/metrics-server-config", "data.NannyConfiguration"),
      ],
      [
        "a token that is not mounted",
        set("ServiceAccount/metrics-server", "automountServiceAccountToken", false),
      ],
      [
        "one argument fewer",
        remove(
          "Deployment/metrics-server-v0\\.8\\.0".replaceAll("\\", ""),
          "spec.template.spec.containers.0.command.3",
        ),
      ],
      [
        "a probe removed",
        remove("Deployment/metrics-server-v0.8.0", "spec.template.spec.containers.0.livenessProbe"),
      ],
      [
        "another account of a binding",
        set("ClusterRoleBinding/system:kube-dns-autoscaler", "subjects.0.name", "default"),
      ],
      ["deleted", drop("Service/metrics-server")],
    ],
  },
  {
    what: "immutable fields of addons",
    from: [
      {
        from: `${equipment}/dns-horizontal-autoscaler/dns-horizontal-autoscaler.yaml`,
        only: ["ClusterRoleBinding/system:kube-dns-autoscaler"],
      },
      { from: `${equipment}/storage-class/local/default.yaml` },
    ],
    changes: [
      [
        "another role of a binding",
        set("ClusterRoleBinding/system:kube-dns-autoscaler", "roleRef.name", "view"),
      ],
      ["another provisioner", set("StorageClass/standard", "provisioner", "example.com/disk")],
    ],
  },
  {
    what: "CustomResourceDefinitions of another version, with custom resources",
    from: [
      {
        from: "kapp:examples/gatekeeper-v3.7.0/config.yml",
        only: [
          "CustomResourceDefinition/constrainttemplates.templates.gatekeeper.sh",
          "CustomResourceDefinition/assign.mutations.gatekeeper.sh",
          "ConstraintTemplate/k8srequiredlabels",
        ],
      },
      {
        from: "kapp:examples/gatekeeper-v3.10.0/config.yml",
        isNew: true,
        only: [
          "CustomResourceDefinition/constrainttemplates.templates.gatekeeper.sh",
          "CustomResourceDefinition/assign.mutations.gatekeeper.sh",
          "ConstraintTemplate/k8srequiredlabels",
        ],
      },
    ],
    changes: [
      ["CustomResourceDefinitions upgraded"],
      [
        "a custom resource changed as well",
        set("ConstraintTemplate/k8srequiredlabels", "spec.targets.0.target", "example.com/target"),
      ],
    ],
  },
  {
    what: "an operator with its CustomResourceDefinitions",
    from: [
      {
        from: "kapp:examples/cert-manager-v1.6.1/config.yaml",
        only: [
          "CustomResourceDefinition/issuers.cert-manager.io",
          "Deployment/cert-manager",
          "Service/cert-manager",
          "ServiceAccount/cert-manager",
          "Role/cert-manager:leaderelection",
          "ClusterRole/cert-manager-view",
        ],
      },
    ],
    changes: [
      [
        "one more short name",
        set("CustomResourceDefinition/issuers.cert-manager.io", "spec.names.shortNames", ["iss"]),
      ],
      [
        "an old version no longer served",
        set("CustomResourceDefinition/issuers.cert-manager.io", "spec.versions.0.served", false),
      ],
      [
        "an argument more",
        insert("Deployment/cert-manager", "spec.template.spec.containers.0.args.0", "--v=4"),
      ],
      ["one verb fewer", remove("ClusterRole/cert-manager-view", "rules.0.verbs.0")],
      ["a role without rules", set("Role/cert-manager:leaderelection", "rules", [])],
    ],
  },
  {
    what: "snapshots with their CustomResourceDefinitions",
    from: [
      { from: `${equipment}/volumesnapshots/crd`, isNew: true },
      {
        from: `${examples}/storage-csi/hostpath/hostpath/csi-hostpath-snapshotclass.yaml`,
        isNew: true,
      },
    ],
    changes: [
      ["a class"],
      [
        "a class with another policy",
        copy("VolumeSnapshotClass/csi-hostpath-snapclass", "retained", [
          "deletionPolicy",
          "Retain",
        ]),
      ],
      [
        "a class with an unknown policy",
        copy("VolumeSnapshotClass/csi-hostpath-snapclass", "wrong", ["deletionPolicy", "Keep"]),
      ],
      [
        "a class without a driver",
        copy("VolumeSnapshotClass/csi-hostpath-snapclass", "bare"),
        remove("VolumeSnapshotClass/bare", "driver"),
      ],
    ],
  },
];
