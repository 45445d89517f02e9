import { Button } from '@mantine/core';
import { useInterval } from '@mantine/hooks';
import { IconAlertCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect, useState } from 'react';
import { ApiError, ConsoleUpdated } from '../api/api-error.ts';
import { useRefusal } from '../api/use-refusal.ts';
import { useSite } from '../session/session.tsx';
import { type Place, places } from '../shell/places.ts';
import { useWayBack } from '../shell/way-back.ts';
import { useWords } from '../words/words.tsx';

/** The shape of what is being loaded, after 300 ms of nothing. */
export function Loading({ rows = 6 }: { readonly rows?: number }) {
  const { words } = useWords();
  const [isShown, setShown] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setShown(true), 300);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div className="stack tight" style={{ padding: 16, minHeight: rows * 28 }} role="status">
      <span className="hidden">{words.shell.loading}</span>
      {isShown &&
        Array.from({ length: rows }, (_, row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows are all alike and never move
          <div key={row} className="shape" style={{ width: `${90 - ((row * 37) % 50)}%` }} />
        ))}
    </div>
  );
}

/** A failure, with the number of the request and a way to repeat it; after an upgrade, a way to load the page again. */
export function Failed({ error, title, retry }: FailedProps) {
  const { words } = useWords();
  const refusal = useRefusal();
  const isUpdated = error instanceof ConsoleUpdated;
  return (
    <div className="empty" role="alert">
      <h2 className="row red">
        <IconAlertCircle size={18} aria-hidden />
        {isUpdated ? words.shell.updated : (title ?? words.shell.failed)}
      </h2>
      <p className="small text-2">{refusal(error)}</p>
      {error instanceof ApiError && error.requestId !== '' && error.code !== 'internal' && (
        <p className="label text-3">{words.errors.request(error.requestId)}</p>
      )}
      {isUpdated && (
        <Button size="xs" mt={6} onClick={() => location.reload()}>
          {words.shell.reload}
        </Button>
      )}
      {retry && !isUpdated && (
        <Button size="xs" mt={6} onClick={retry}>
          {words.errors.tryAgain}
        </Button>
      )}
    </div>
  );
}
interface FailedProps {
  readonly error: unknown;
  readonly title?: string;
  readonly retry?: () => void;
}

/** Nothing there yet, or nothing found: what it would be, and one action. */
export function Empty({ title, text, children }: EmptyProps) {
  return (
    <div className="empty">
      <h2>{title}</h2>
      {text && <p className="small text-2">{text}</p>}
      {children && <div style={{ marginTop: 8 }}>{children}</div>}
    </div>
  );
}
interface EmptyProps {
  readonly title: string;
  readonly text?: string;
  readonly children?: ReactNode;
}

/** An address on the site that leads nowhere. */
export function NotFound({ text }: { readonly text?: string }) {
  const { words } = useWords();
  const site = useSite();
  return (
    <Page title={words.shell.notFoundTitle}>
      <p className="text-2">{text ?? words.shell.notFound(site.name)}</p>
      <p>
        <Link className="link" to="/$site" params={{ site: site.name }}>
          {words.shell.toOverview}
        </Link>
      </p>
    </Page>
  );
}

/** A screen that the user may not see: what they may do instead, and who can change that. */
export function NoRight({ text }: { readonly text: string }) {
  const { words } = useWords();
  return (
    <Page title={words.shell.noRightTitle}>
      <p className="text-2">
        {text} {words.shell.noRight}
      </p>
    </Page>
  );
}

/** A screen: its name, what it is about, its actions, and its parts below. */
export function Page({ title, crumb, thingOf, sub, actions, hasBar = false, children }: PageProps) {
  useTitle(title);
  useWayBack(thingOf, title);
  return (
    <div className="page">
      <div className="head">
        <div className="grow">
          {(crumb || thingOf) && (
            <div className="crumb">
              {thingOf && <PlaceOf id={thingOf} />}
              {crumb}
            </div>
          )}
          <h1>{title}</h1>
          {sub && <div className="sub">{sub}</div>}
        </div>
        {actions && (
          <div className={hasBar ? 'acts bottom-bar' : 'acts'}>
            <Suspense>{actions}</Suspense>
          </div>
        )}
      </div>
      {/* A part whose texts are still loaded hides the parts, and not the name of the screen. */}
      <Suspense fallback={<Loading />}>{children}</Suspense>
    </div>
  );
}
interface PageProps {
  readonly title: string;
  /** The place that lists such things: a phone shows the way back to it. */
  readonly thingOf?: Place['id'];
  readonly crumb?: ReactNode;
  readonly sub?: ReactNode;
  readonly actions?: ReactNode;
  /** Whether a phone has the actions at the bottom, in place of the places. */
  readonly hasBar?: boolean;
  readonly children?: ReactNode;
}

function PlaceOf({ id }: { readonly id: Place['id'] }) {
  const { words } = useWords();
  const site = useSite();
  const place = places.find((one) => one.id === id)!;
  return (
    <Link to={place.to} params={{ site: site.name }} search={{}}>
      {words.shell.places[id]}
    </Link>
  );
}

/** Sets the title of the browser's tab. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Facteur`;
  }, [title]);
}

/** The time, renewed every second while something is live. */
export function useNow(): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), 1000, { autoInvoke: true });
  return now;
}
