/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "cb5a7a4e7ae326de8611531c8a922babe8b05a9a4b3eee0bf5626a86360182bb";
