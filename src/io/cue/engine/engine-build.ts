/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "cdeec6082d029bb42e2365f3d17316287380f91ed9115576f45e03b7b210817c";
