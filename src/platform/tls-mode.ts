/** How a connection to a relay is protected: not at all, upgraded by STARTTLS (RFC 3207), or TLS from the start. */
export const tlsModes = ['none', 'starttls', 'tls'] as const;
export type TlsMode = (typeof tlsModes)[number];
