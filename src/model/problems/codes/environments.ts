/** Errors of preview environments. */
export const environmentCodes = {
  "environment-does-not-fit":
    "A finding with the severity error predicts that the environment can't run in the cluster. qvs creates nothing. Correct the finding, or delete environments that no one needs.",
  "environment-excessive-role":
    "A Role or RoleBinding of an environment would give its Pods permissions for the namespace itself, for roles, or those of a ClusterRole. Anyone who can open a pull request chooses these Pods. List only the needed permissions in a Role of the environment.",
  "environment-not-own":
    "The environment or its namespace belongs to someone else: another repository, another deployment list, or a user. qvs neither changes nor deletes it. Use another name or namespace in `preview`. If the namespace in `preview` changed, delete the old environment with `qvs environments delete`.",
  "environment-outside-namespace":
    "The config of an environment declares an object outside the namespace of the environment, or a cluster-scoped object. qvs creates nothing. Leave such objects out with a parameter.",
  "environment-state-unknown":
    "qvs can't determine whether an environment is still needed, because its record or the answer of GitHub doesn't show it. qvs neither deploys nor deletes the environment. Delete it with `qvs environments delete` if no one needs it.",
  "invalid-preview":
    "The `preview` of an entry in deployments.yaml has an invalid value. Correct the value at the named place.",
  "repository-unknown":
    "qvs doesn't know the repository to which an environment belongs. Add the remote `origin`, or name the repository with `--repository`.",
} as const;
