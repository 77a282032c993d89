/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "560dfe34aef2a188e1406143bf1834c87687662ed8ba2c1db18d6182644219a5";
