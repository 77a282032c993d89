/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "497d1e08036ab3823004840258f38ba055fa68a40032922ed752885b92738048";
