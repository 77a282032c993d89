/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "none";
