/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "3c08ef5a05f568967a33e760d078ce11146f4f114a9b9efb3f0a53ae0cfe9f17";
