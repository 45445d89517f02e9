import { getRouteApi, Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Entrance } from '../session/entrance.tsx';
import { useAppliedPreferences } from '../session/preferences.ts';
import { SiteProvider, siteOf, useMe } from '../session/session.tsx';
import { SessionEnded } from '../session/session-ended.tsx';
import { useWords } from '../words/words.tsx';
import { Frame } from './frame.tsx';

const route = getRouteApi('/$site');

/** The frame of the site in the address, or the news that the user has no access to it. */
export function SiteFrame() {
  const { words } = useWords();
  const me = useMe();
  useAppliedPreferences();
  const { site: name } = route.useParams();
  const site = useMemo(() => siteOf(me, name), [me, name]);
  if (!site)
    return (
      <Entrance>
        <h1>{words.shell.notFoundTitle}</h1>
        <p className="text-2" style={{ margin: '8px 0' }}>
          {words.shell.noSiteOfName(name)}
        </p>
        {me.sites.map((other) => (
          <p key={other.name}>
            <Link className="link" to="/$site" params={{ site: other.name }}>
              {other.name}
            </Link>
          </p>
        ))}
      </Entrance>
    );
  return (
    <SiteProvider value={site}>
      <Frame />
      <SessionEnded />
    </SiteProvider>
  );
}
