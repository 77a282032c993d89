/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "bf4fc731db57606efc5dad1038311b5d0b85d5b7f6f9e4aad653241ad74150f2";
