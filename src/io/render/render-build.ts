/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "34bf4237b2f3bee717b8ee567eaccbe040670c3a63899a078ceb7320837d9c56";
