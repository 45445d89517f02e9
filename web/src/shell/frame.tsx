import { useMediaQuery } from '@mantine/hooks';
import { IconArrowLeft, IconSearch } from '@tabler/icons-react';
import { Link, Outlet, useNavigate, useRouterState } from '@tanstack/react-router';
import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { loadPiece } from '../api/loads.ts';
import { Extra } from '../parts/extra.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { Loading } from '../parts/states.tsx';
import { SampleBar } from '../sample/lazy.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useWords } from '../words/words.tsx';
import { useKeyboard, useShortcuts } from './keys.ts';
import { RelayHealth } from './lazy-health.ts';
import { AccountMenu, ClockNote, MoreMenu, SiteMenu } from './menus.tsx';
import { type Place, places, placesFor } from './places.ts';
import { useIsRailWanted } from './rail.ts';
import { Stale } from './stale.tsx';
import { Toasts } from './toasts.tsx';
import { useSettled } from './use-settled.ts';
import { useShownWayBack, type WayBack } from './way-back.ts';

const loadPalette = async () => (await import('./palette.tsx')).Palette;
const loadKeysHelp = async () => (await import('./keys-help.tsx')).KeysHelp;
const Palette = lazyPart(loadPalette);
const KeysHelp = lazyPart(loadKeysHelp);
const SendingEnds = lazyPart(async () => (await import('../campaigns/sending-ends.tsx')).SendingEnds);

/** Widths below which the navigation is a rail. */
const railBelow = '(max-width: 1100px)';

/** The navigation and everything that is the same on every screen of a site. */
export function Frame() {
  const { words } = useWords();
  const site = useSite();
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  const wasPaletteOpen = useWas(isPaletteOpen);
  const wasHelpOpen = useWas(isHelpOpen);
  const isNarrow = useMediaQuery(railBelow, undefined, { getInitialValueInEffect: false });
  const isRailWanted = useIsRailWanted();
  const wayBack = useShownWayBack();
  useKeyboard();
  useFrameShortcuts(
    () => setPaletteOpen(true),
    () => setHelpOpen(true),
  );
  useFocusOnMove();
  const isSettled = useSettled();
  useEffect(() => {
    // What the keys open then opens at once and without a connection.
    if (isSettled) void Promise.all([loadPiece(loadPalette), loadPiece(loadKeysHelp)]).catch(() => undefined);
  }, [isSettled]);
  return (
    <>
      <a className="skip" href="#content">
        {words.shell.skip}
      </a>
      <div className={isNarrow || isRailWanted ? 'app rail' : 'app'} data-back={wayBack && true}>
        <aside className="side" aria-label="Facteur">
          <SiteMenu />
          <button
            type="button"
            className="jump"
            aria-keyshortcuts="Control+K"
            title={words.shell.search}
            onClick={() => setPaletteOpen(true)}
          >
            <IconSearch size={16} aria-hidden />
            <span>{words.shell.search}</span>
            <kbd>Ctrl K</kbd>
          </button>
          <Navigation />
          <div className="foot">
            {isSettled && (
              <Extra>
                <RelayHealth />
              </Extra>
            )}
            <ClockNote />
            <AccountMenu openKeys={() => setHelpOpen(true)} />
          </div>
        </aside>
        <div className="main">
          <TopBar wayBack={wayBack} search={() => setPaletteOpen(true)} />
          {(isSettled || localStorage.getItem(`facteur.sample.${site.name}`)) && (
            <Extra>
              <SampleBar />
            </Extra>
          )}
          <Stale />
          <main id="content" tabIndex={-1}>
            {/* A part that is still loading replaces the screen only, not the element that has the focus. */}
            <Suspense fallback={<Loading />}>
              <Outlet key={site.name} />
            </Suspense>
          </main>
        </div>
        <TabBar openKeys={() => setHelpOpen(true)} />
      </div>
      {wasPaletteOpen && (
        <Opened isOpen={isPaletteOpen} close={() => setPaletteOpen(false)}>
          <Palette
            isOpen={isPaletteOpen}
            close={() => setPaletteOpen(false)}
            openKeys={() => setHelpOpen(true)}
          />
        </Opened>
      )}
      {wasHelpOpen && (
        <Opened isOpen={isHelpOpen} close={() => setHelpOpen(false)}>
          <KeysHelp isOpen={isHelpOpen} close={() => setHelpOpen(false)} />
        </Opened>
      )}
      {isSettled && (
        <Extra>
          <SendingEnds key={site.name} />
        </Extra>
      )}
      <Toasts />
    </>
  );
}

/** Whether something has been true: what was opened once stays, so that its focus returns when it closes. */
function useWas(is: boolean): boolean {
  const [was, setWas] = useState(is);
  if (is && !was) setWas(true);
  return was;
}

function useFrameShortcuts(openPalette: () => void, openHelp: () => void): void {
  const { words } = useWords();
  const me = useMe();
  const site = useSite();
  const navigate = useNavigate();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the openers only set state, and are new at each render
  const shortcuts = useMemo(
    () => [
      { keys: 'mod+k', label: words.shell.keys.palette, run: openPalette, inFields: true },
      { keys: '?', label: words.shell.keys.help, run: openHelp },
      ...(site.may('editor')
        ? [
            {
              keys: 'c',
              label: words.shell.keys.newCampaign,
              run: () => void navigate({ to: '/$site/campaigns/new', params: { site: site.name } }),
            },
          ]
        : []),
      ...placesFor(me).map(({ id, to, letter }) => ({
        keys: `g ${letter}`,
        label: words.shell.keys.goTo(words.shell.places[id]),
        run: () => void navigate({ to, params: { site: site.name } }),
      })),
    ],
    [words, me, site, navigate],
  );
  useShortcuts(shortcuts);
}

/** Moves the focus to the content when another screen is shown, so that the keyboard and readers follow. */
function useFocusOnMove(): void {
  const path = useRouterState({ select: ({ resolvedLocation }) => resolvedLocation?.pathname });
  const before = useRef(path);
  useEffect(() => {
    // Not when the console opens: the first stop of the Tab key is the way to the content.
    const hasMoved = before.current !== undefined && before.current !== path;
    before.current = path;
    if (hasMoved) document.getElementById('content')?.focus({ preventScroll: true });
  }, [path]);
}

function Navigation() {
  const { words } = useWords();
  const places = placesFor(useMe());
  return (
    <nav className="nav" aria-label={words.shell.main}>
      {places.map((place, index) => (
        <PlaceLink
          key={place.id}
          place={place}
          size={18}
          isFirstOfOthers={place.isSecondary === true && places[index - 1]?.isSecondary !== true}
        />
      ))}
    </nav>
  );
}

function PlaceLink({ place, size, isFirstOfOthers }: PlaceLinkProps) {
  const { words } = useWords();
  const site = useSite();
  const name = words.shell.places[place.id];
  return (
    <>
      {isFirstOfOthers && <hr />}
      <Link
        to={place.to}
        params={{ site: site.name }}
        activeOptions={{ exact: place.id === 'overview', includeSearch: false }}
        title={name}
      >
        <place.icon size={size} stroke={1.75} aria-hidden />
        <span>{name}</span>
      </Link>
    </>
  );
}
interface PlaceLinkProps {
  readonly place: Place;
  readonly size: number;
  readonly isFirstOfOthers?: boolean;
}

interface TopBarProps {
  readonly wayBack: WayBack | undefined;
  readonly search: () => void;
}

/** The bar on top of a phone: the site, or the way back from one thing with its name; and the search. */
function TopBar({ wayBack, search }: TopBarProps) {
  const { words } = useWords();
  const site = useSite();
  const place = wayBack && places.find(({ id }) => id === wayBack.place);
  return (
    <header className="topbar">
      {place ? (
        <>
          <Link
            className="site icon"
            to={place.to}
            params={{ site: site.name }}
            search={{}}
            aria-label={words.shell.places[place.id]}
          >
            <IconArrowLeft size={22} stroke={1.6} aria-hidden />
          </Link>
          {/* The heading of the screen, which is not seen, says it to readers. */}
          <span className="cut strong" aria-hidden>
            {wayBack.name}
          </span>
        </>
      ) : (
        <SiteMenu />
      )}
      <span style={{ flex: 1 }} />
      <button type="button" className="site icon" aria-label={words.shell.search} onClick={search}>
        <IconSearch size={22} stroke={1.6} aria-hidden />
      </button>
    </header>
  );
}

/** The bar at the bottom of a phone: four places, and the others behind “More”. */
function TabBar({ openKeys }: { readonly openKeys: () => void }) {
  const { words } = useWords();
  const places = placesFor(useMe());
  return (
    <nav className="tabbar" aria-label={words.shell.main}>
      {places.slice(0, 4).map((place) => (
        <PlaceLink key={place.id} place={place} size={21} />
      ))}
      <MoreMenu places={places.slice(4)} openKeys={openKeys} />
    </nav>
  );
}
