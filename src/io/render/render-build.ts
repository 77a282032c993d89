/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "c7c70910cd727abcc6d6132be1b7c137ef490ba7c93286e4747776e80fb815a9";
