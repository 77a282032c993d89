/** Errors of charts in registries and Helm repositories. */
export const chartCodes = {
  "capabilities-assumed":
    "A chart asks for the version or the APIs of the cluster, and qvs had no cluster to ask. A deployment renders the chart with the answers of its cluster, so it can have other objects. Preview with access to the cluster, or set `kubeVersion` and `apiVersions` in the entry of the chart.",
  "capabilities-contradict":
    "A chart defines an API only if the cluster doesn't serve it. With each answer, the deployment defines other APIs, so that no answer stays right. Set the value of the chart that always creates the definition, or set `apiVersions` in the entry of the chart.",
  "chart-access-denied":
    "A registry or Helm repository denied access to a chart. Check its address, and log in with `docker login`.",
  "chart-content-changed":
    "A version of a chart no longer has the locked content. Find out who replaced it and why before you run `qvs lock`.",
  "chart-not-fetched":
    "qvs couldn't fetch a chart. Check the address, the network and the certificate of the host.",
  "chart-not-found":
    "A registry or Helm repository has no such chart, or not in that version. Name an existing one, then run `qvs lock`.",
  "chart-range-not-checked":
    "Chart.lock decides about the version of a dependency, and qvs doesn't check that it is in the range of Chart.yaml. Run `helm dependency build`, which checks that the two files agree.",
  "invalid-chart-source":
    "The config doesn't define where a chart is. Write a path of the repository, `oci://HOST/PATH/NAME`, or a name with `repo`. The last two need an exact version.",
} as const;
