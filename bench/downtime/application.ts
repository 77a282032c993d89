import type { WebSettings } from "../../test/support/node/web-manifests.ts";

export const images = ["registry.example/web:1.0.0", "registry.example/web:1.1.0"] as const;

/** The settings of the application that each tool deploys. */
export interface Version extends WebSettings {
  readonly hashed: boolean;
  readonly service: string;
}

/**
 * The application before the changes. Its Pods have a readiness probe and a preStop hook, so the
 * tools differ only in their order and in their reaction to failures.
 */
export const first: Version = {
  greeting: "old",
  image: images[0],
  hashed: true,
  service: "web",
};
