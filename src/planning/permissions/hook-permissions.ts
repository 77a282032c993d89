import { isInitiallyUnready } from "./initially-unready.ts";
import type { Permission } from "./permission.ts";
import {
  grantedPermissions,
  kindPermissions,
  ownObjectPermissions,
  type PermissionInput,
  withoutCrds,
} from "./permit.ts";

/**
 * Lists the permissions to write the hooks of a deletion. Other purposes cover
 * their deletion.
 */
export function hookPermissions(subject: PermissionInput): readonly Permission[] {
  const hooks = onlyHooks(subject);
  const { objects } = hooks;
  const unready = objects.filter((each) => isInitiallyUnready(each, subject.health));
  return [
    ...kindPermissions(hooks, ["create"]),
    ...ownObjectPermissions(hooks, ["patch"]),
    ...kindPermissions(withoutCrds({ ...subject, objects: unready }), ["watch"]),
    ...grantedPermissions(objects.flatMap(({ object }) => object ?? [])),
  ];
}

export function onlyHooks(subject: PermissionInput): PermissionInput {
  return { ...subject, objects: subject.objects.filter(({ isHook }) => isHook === true) };
}
