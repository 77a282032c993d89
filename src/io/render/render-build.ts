/** The digest of the sources of the render engine. A native engine of other sources isn't used. */
export const renderSources = "ae14b19b0d99c0c3356984b4cc0a57f51e2a7d32df9fa022ee63a05bd9fcf2b4";
