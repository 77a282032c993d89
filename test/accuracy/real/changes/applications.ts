import { copy, insert, moveUp, remove, rename, set } from "../edits.ts";
import type { Batch } from "../play-batch.ts";

const examples = "kubernetes:test/e2e/testing-manifests" as const;

/** Applications and their databases, and concurrent changes by other users. */
export const applications: readonly Batch[] = [
  {
    what: "databases with volumes",
    from: [
      {
        from: `${examples}/statefulset/cassandra`,
        only: ["StatefulSet/cassandra", "Service/cassandra", "PodDisruptionBudget/cassandra-pdb"],
      },
      { from: `${examples}/statefulset/cockroachdb/service.yaml` },
      { from: `${examples}/statefulset/zookeeper/service.yaml` },
      { from: `${examples}/statefulset/mysql-galera/service.yaml` },
      { from: `${examples}/statefulset/etcd/pdb.yaml` },
    ],
    changes: [
      ["one replica fewer", set("StatefulSet/cassandra", "spec.replicas", 2)],
      ["a budget by percent", set("PodDisruptionBudget/cassandra-pdb", "spec.minAvailable", "50%")],
      [
        "another kind of budget",
        remove("PodDisruptionBudget/etcd-pdb", "spec.minAvailable"),
        set("PodDisruptionBudget/etcd-pdb", "spec.maxUnavailable", 1),
      ],
      [
        "a port more, before the other",
        insert("Service/cassandra", "spec.ports.0", { name: "jmx", port: 7199 }),
        set("Service/cassandra", "spec.ports.1.name", "cql"),
      ],
      ["a port moved", moveUp("Service/cockroachdb", "spec.ports.1")],
      ["one port fewer", remove("Service/zk", "spec.ports.1")],
      [
        "no longer published before they are ready",
        remove("Service/galera", "spec.publishNotReadyAddresses"),
      ],
    ],
  },
  {
    what: "immutable fields of databases",
    from: [
      {
        from: `${examples}/statefulset/cassandra`,
        only: ["StatefulSet/cassandra", "Service/cassandra"],
      },
      { from: `${examples}/statefulset/cockroachdb/service.yaml` },
    ],
    changes: [
      [
        "a larger volume of a template",
        set(
          "StatefulSet/cassandra",
          "spec.volumeClaimTemplates.0.spec.resources.requests.storage",
          "2Gi",
        ),
      ],
      ["no longer headless", remove("Service/cassandra", "spec.clusterIP")],
      ["a duplicate name of a port", set("Service/cockroachdb", "spec.ports.1.name", "grpc")],
    ],
  },
  {
    what: "a web application with a cache",
    from: [{ from: "kapp:examples/gitops/guestbook/all-in-one.yml" }],
    changes: [
      [
        "a new image",
        set(
          "Deployment/frontend",
          "spec.template.spec.containers.0.image",
          "us-docker.pkg.dev/google-samples/containers/gke/gb-frontend:v6",
        ),
      ],
      ["fewer replicas", set("Deployment/frontend", "spec.replicas", 2)],
      [
        "a variable more, before the other",
        insert("Deployment/frontend", "spec.template.spec.containers.0.env.0", {
          name: "CACHE",
          value: "redis-replica",
        }),
      ],
      ["replicas left to the default", remove("Deployment/redis-replica", "spec.replicas")],
      [
        "requests removed",
        remove("Deployment/redis-replica", "spec.template.spec.containers.0.resources"),
      ],
      ["a strategy", set("Deployment/redis-primary", "spec.strategy", { type: "Recreate" })],
      [
        "a variable that was a text",
        remove("Deployment/redis-primary", "spec.template.spec.containers.0.env.0.value"),
        set("Deployment/redis-primary", "spec.template.spec.containers.0.env.0.valueFrom", {
          fieldRef: { fieldPath: "metadata.name" },
        }),
      ],
      ["a port of a Service", set("Service/redis-primary", "spec.ports.0.port", 6379)],
      [
        "targetPort left to the default",
        remove("Service/redis-primary", "spec.ports.0.targetPort"),
      ],
      ["renamed", rename("Service/redis-replica", "redis-reader")],
      ["reached from outside", set("Service/frontend", "spec.type", "NodePort")],
      ["one more label", set("Service/frontend", "metadata.labels.team", "shop")],
    ],
  },
  {
    what: "rejected changes of a web application",
    from: [{ from: "kapp:examples/gitops/guestbook/all-in-one.yml" }],
    changes: [
      [
        "another selector",
        set("Deployment/frontend", "spec.selector.matchLabels.tier", "web"),
        set("Deployment/frontend", "spec.template.metadata.labels.tier", "web"),
      ],
      [
        "a field misspelt",
        set("Deployment/redis-primary", "spec.template.spec.containers.0.enviroment", []),
      ],
      [
        "two kinds of a value",
        set("Deployment/redis-replica", "spec.template.spec.containers.0.env.0.valueFrom", {
          fieldRef: { fieldPath: "metadata.name" },
        }),
      ],
      ["a port out of range", set("Service/frontend", "spec.ports.0.port", 80_000)],
      ["an unknown type", set("Service/redis-primary", "spec.type", "Balanced")],
    ],
  },
  {
    what: "a blog with a volume",
    from: [
      { from: "kapp:examples/mysql/wordpress-deployment.yaml" },
      { from: "kapp:examples/jobs/cron-job.yml" },
    ],
    changes: [
      ["another strategy", remove("Deployment/wordpress", "spec.strategy")],
      ["another schedule", set("CronJob/cron-job", "spec.schedule", "0 4 * * *")],
      ["a limit of the history", set("CronJob/cron-job", "spec.failedJobsHistoryLimit", 3)],
      ["within the cluster only", remove("Service/wordpress", "spec.type")],
    ],
  },
  {
    what: "immutable fields of a blog",
    from: [
      {
        from: "kapp:examples/mysql/wordpress-deployment.yaml",
        only: ["PersistentVolumeClaim/wp-pv-claim"],
      },
      { from: "kapp:examples/jobs/cron-job.yml" },
    ],
    changes: [
      [
        "a volume of many",
        set("PersistentVolumeClaim/wp-pv-claim", "spec.accessModes.0", "ReadWriteMany"),
      ],
      ["an invalid schedule", set("CronJob/cron-job", "spec.schedule", "every day")],
    ],
  },
  {
    what: "concurrent changes by other users",
    from: [{ from: "kapp:examples/gitops/guestbook/all-in-one.yml" }],
    meanwhile: [
      ["scale", "deployment/frontend", "--replicas=4"],
      [
        "set",
        "image",
        "deployment/redis-replica",
        "replica=gcr.io/google_samples/gb-redisslave:v3",
      ],
      ["label", "service/frontend", "team=blog"],
      ["delete", "service", "redis-replica"],
      ["annotate", "deployment/redis-primary", "note=seen"],
    ],
    changes: [
      ["a Deployment that a user scaled", set("Deployment/frontend", "spec.minReadySeconds", 1)],
      ["an image that a user set", set("Deployment/redis-replica", "spec.replicas", 1)],
      ["a label that a user set", set("Service/frontend", "metadata.labels.team", "shop")],
      [
        "an object that a user annotated",
        set("Deployment/redis-primary", "spec.revisionHistoryLimit", 3),
      ],
      [
        "an object that a user deleted",
        set("Service/redis-replica", "metadata.labels.team", "shop"),
      ],
    ],
  },
  {
    what: "Rollouts with their analysis",
    from: [
      {
        from: "rollouts:examples/analysis-templates.yaml",
        only: ["AnalysisTemplate/pass", "AnalysisTemplate/random-fail"],
      },
      { from: "rollouts:examples/rollout-bluegreen.yaml" },
    ],
    changes: [
      ["a limit", set("AnalysisTemplate/pass", "spec.metrics.0.failureLimit", 2)],
      ["a field removed", remove("AnalysisTemplate/random-fail", "spec.metrics.0.interval")],
      [
        "promoted by itself",
        set("Rollout/rollout-bluegreen", "spec.strategy.blueGreen.autoPromotionEnabled", true),
      ],
      [
        "another one like it",
        copy("AnalysisTemplate/pass", "pass-twice", ["spec.metrics.0.count", 2]),
      ],
    ],
  },
  {
    what: "rejected changes of Rollouts",
    from: [
      {
        from: "rollouts:examples/analysis-templates.yaml",
        only: ["AnalysisTemplate/pass", "AnalysisTemplate/random-fail"],
      },
    ],
    changes: [
      ["a number instead of a list", set("AnalysisTemplate/pass", "spec.metrics", 1)],
      ["no name of a metric", remove("AnalysisTemplate/random-fail", "spec.metrics.0.provider")],
    ],
  },
];
