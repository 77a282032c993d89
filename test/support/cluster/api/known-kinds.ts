import type { ClusterAddress } from "../address.ts";
import type { Kinds } from "../audit.ts";
import { ask } from "./ask.ts";

/** The fields of an aggregated discovery that the tests read. */
interface Discovery {
  readonly items: readonly {
    readonly metadata: { readonly name?: string };
    readonly versions: readonly {
      readonly resources?: readonly {
        readonly resource: string;
        readonly responseKind?: { readonly kind: string };
      }[];
    }[];
  }[];
}

const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Returns every kind that the API server serves now. */
export async function knownKinds(address: ClusterAddress): Promise<Kinds> {
  const texts = await Promise.all(["/api", "/apis"].map((path) => ask(address, path, { accept })));
  return new Map(texts.flatMap((text) => kindsIn(JSON.parse(text))));
}

function kindsIn({ items }: Discovery): readonly (readonly [string, string])[] {
  return items.flatMap(({ metadata: { name: group }, versions }) =>
    versions.flatMap(({ resources = [] }) =>
      resources.flatMap(({ resource, responseKind }) =>
        responseKind === undefined
          ? []
          : [[[resource, group].filter(Boolean).join("."), responseKind.kind] as const],
      ),
    ),
  );
}
