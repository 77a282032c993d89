/** The digest of the sources of the CUE engine. A native engine of other sources isn't used. */
export const engineSources = "914a708ec1f62f36e4405aff99baa4718222a4583be8d49f69f0f9a3d9e78ca1";
