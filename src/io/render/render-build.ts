/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "7beddd960503e637053c8f49bac8e83ddf388f8a9e80ba355b34598de9d69a11";
