import { Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type SendingHealth, sendingHealthOf } from '../api/sending-health.ts';
import { useMe, useSite } from '../session/session.tsx';
import { relayHealth as english } from '../words/en/relay-health.ts';
import { relayHealth as french } from '../words/fr/relay-health.ts';
import { useWords } from '../words/words.tsx';

/** Both languages: they are shorter than a request for one. */
const textsOf = { en: english, fr: french };

/** The dot and the words for a site's relays: the worst of them counts, then what is known. */
function useHealth() {
  const texts = textsOf[useWords().language];
  const site = useSite();
  const { data } = useQuery(sendingHealthOf(site.name));
  if (!data) return undefined;
  const counted = (state: SendingHealth['relays'][number]['state']) =>
    data.relays.filter((relay) => relay.state === state).length;
  const to = data.isMailKept ? ('/$site/mailbox' as const) : ('/$site/settings/relays' as const);
  if (data.isMailKept) return { to, dot: 'off', text: texts.kept };
  if (counted('down') > 0) return { to, dot: 'down', text: texts.down(counted('down')) };
  return counted('up') > 0 ? { to, dot: '', text: texts.answer } : { to, dot: 'off', text: texts.idle };
}

/** The health of the relays below the navigation; leads administrators to them, or to the built-in mailbox. */
export function RelayHealth() {
  const site = useSite();
  const { isAdministrator } = useMe();
  const health = useHealth();
  if (!health) return null;
  const { to, dot, text } = health;
  const shown = (
    <>
      <span className={`dot ${dot}`} aria-hidden />
      <span>{text}</span>
    </>
  );
  return isAdministrator ? (
    <Link className="relay" to={to} params={{ site: site.name }} title={text}>
      {shown}
    </Link>
  ) : (
    <p className="relay" title={text}>
      {shown}
    </p>
  );
}

/** The same among the places of a phone. */
export function RelayHealthItem() {
  const site = useSite();
  const { isAdministrator } = useMe();
  const navigate = useNavigate();
  const health = useHealth();
  if (!health) return null;
  const { to, dot, text } = health;
  // As wide as the glyphs of the places.
  const glyph = <span className={`dot ${dot}`} style={{ margin: '0 5px' }} aria-hidden />;
  if (!isAdministrator)
    return (
      <Menu.Label>
        <span className="row">
          {glyph}
          {text}
        </span>
      </Menu.Label>
    );
  return (
    <Menu.Item leftSection={glyph} onClick={() => void navigate({ to, params: { site: site.name } })}>
      {text}
    </Menu.Item>
  );
}
