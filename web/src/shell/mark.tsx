/** The mark of Facteur: two flaps of an envelope. */
export const Mark = () => (
  <svg className="mark" viewBox="0 0 26 26" aria-hidden="true">
    <rect width="26" height="26" rx="7" style={{ fill: 'var(--f-ink-fill)' }} />
    <g fill="none" stroke="#fff" strokeWidth="1.9" strokeLinecap="round" strokeLinejoin="round">
      <path d="M6 8.4 L13 14 L20 8.4" />
      <path d="M6 13.2 L13 18.8 L20 13.2" strokeOpacity=".55" />
    </g>
  </svg>
);
