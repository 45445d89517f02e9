import { Menu } from '@mantine/core';
import { IconCheck, IconDots, IconMenu2, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Extra } from '../parts/extra.tsx';
import { lazyPart, Opened } from '../parts/opened.tsx';
import { densities, themes, usePreferences } from '../session/preferences.ts';
import { useMe, useSite } from '../session/session.tsx';
import { useSignOut } from '../session/use-sign-out.ts';
import { useWords } from '../words/words.tsx';
import { RelayHealthItem } from './lazy-health.ts';
import { Mark } from './mark.tsx';
import type { Place } from './places.ts';

const PasswordDialog = lazyPart(async () => (await import('../session/password-dialog.tsx')).PasswordDialog);
const PasskeysDialog = lazyPart(async () => (await import('../session/passkeys-dialog.tsx')).PasskeysDialog);

/** The name of the site, and a menu of the others. */
export function SiteMenu() {
  const { words } = useWords();
  const { sites } = useMe();
  const site = useSite();
  const navigate = useNavigate();
  const name = (
    <>
      <Mark />
      <span className="cut grow" style={{ fontWeight: 600 }}>
        {site.name}
      </span>
    </>
  );
  if (sites.length < 2)
    return (
      <div className="site" style={{ cursor: 'default' }}>
        {name}
      </div>
    );
  return (
    <Menu width={220} position="bottom-start">
      <Menu.Target>
        <button type="button" className="site" aria-label={words.shell.switchSite(site.name)}>
          {name}
          <IconSelector size={16} className="text-3" aria-hidden />
        </button>
      </Menu.Target>
      <Menu.Dropdown>
        {sites.map((other) => (
          <Menu.Item
            key={other.name}
            onClick={() => void navigate({ to: '/$site', params: { site: other.name } })}
            rightSection={other.name === site.name && <IconCheck size={16} aria-hidden />}
          >
            {other.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** Whether the user's clock shows Paris time. */
function isInParis(): boolean {
  const now = new Date();
  return now.toLocaleString('sv-SE') === now.toLocaleString('sv-SE', { timeZone: 'Europe/Paris' });
}

/** Says whose clock the console shows, where it is not that of the user. */
export function ClockNote() {
  const { words } = useWords();
  return isInParis() ? null : <p className="clock-note small text-3">{words.shell.parisTime}</p>;
}

/** The user, with theme, density, language, keys, password, passkeys and the way out. */
export function AccountMenu({ openKeys }: { readonly openKeys: () => void }) {
  const { words } = useWords();
  const me = useMe();
  const [dialog, setDialog] = useState<AccountDialog>();
  return (
    <>
      <Menu width={230} position="top-start">
        <Menu.Target>
          <button type="button" className="site" aria-label={words.shell.account(me.user.name)}>
            {/* Drawn by the style sheet: two letters are no name to read out. */}
            <span className="avatar" data-initials={initials(me.user.name)} />
            <span className="cut grow small strong">{me.user.name}</span>
            <IconDots size={16} className="text-3" aria-hidden />
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          <AccountItems openKeys={openKeys} openDialog={setDialog} />
        </Menu.Dropdown>
      </Menu>
      <AccountDialogs dialog={dialog} close={() => setDialog(undefined)} />
    </>
  );
}

/** On a phone: the places that the bar has no room for, and the account. */
export function MoreMenu({ places, openKeys }: MoreMenuProps) {
  const { words } = useWords();
  const site = useSite();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<AccountDialog>();
  return (
    <>
      <Menu width={250} position="top-end">
        <Menu.Target>
          <button type="button">
            <IconMenu2 size={21} stroke={1.75} aria-hidden />
            <span>{words.shell.more}</span>
          </button>
        </Menu.Target>
        <Menu.Dropdown>
          {places.map((place) => (
            <Menu.Item
              key={place.id}
              leftSection={<place.icon size={18} stroke={1.75} aria-hidden />}
              onClick={() => void navigate({ to: place.to, params: { site: site.name } })}
            >
              {words.shell.places[place.id]}
            </Menu.Item>
          ))}
          {places.length > 0 && <Menu.Divider />}
          <Extra>
            <RelayHealthItem />
          </Extra>
          <AccountItems openKeys={openKeys} openDialog={setDialog} />
          {!isInParis() && (
            <Menu.Label>
              <ClockNote />
            </Menu.Label>
          )}
        </Menu.Dropdown>
      </Menu>
      <AccountDialogs dialog={dialog} close={() => setDialog(undefined)} />
    </>
  );
}
interface MoreMenuProps {
  readonly places: readonly Place[];
  readonly openKeys: () => void;
}

/** What the menu of the account opens over the screen. */
type AccountDialog = 'password' | 'passkeys';

function AccountDialogs({ dialog, close }: AccountDialogsProps) {
  if (!dialog) return null;
  const Dialog = dialog === 'password' ? PasswordDialog : PasskeysDialog;
  return (
    <Opened close={close}>
      <Dialog close={close} />
    </Opened>
  );
}
interface AccountDialogsProps {
  readonly dialog: AccountDialog | undefined;
  readonly close: () => void;
}

function AccountItems({ openKeys, openDialog }: AccountItemsProps) {
  const { words, language, setLanguage } = useWords();
  const me = useMe();
  const site = useSite();
  const [{ theme, density }, change] = usePreferences();
  const signOut = useSignOut();
  const check = <IconCheck size={16} aria-hidden />;
  return (
    <>
      <Menu.Label>
        {me.user.email} · {words.shell.right[site.right]}
      </Menu.Label>
      <Menu.Divider />
      <Menu.Label>{words.shell.theme}</Menu.Label>
      {themes.map((one) => (
        <Menu.Item
          key={one}
          onClick={() => change({ theme: one })}
          rightSection={theme === one && check}
          aria-current={theme === one || undefined}
        >
          {words.shell.themes[one]}
        </Menu.Item>
      ))}
      <Menu.Divider />
      {/* A phone has one density. */}
      <Menu.Label className="wide">{words.shell.density}</Menu.Label>
      {densities.map((one) => (
        <Menu.Item
          key={one}
          className="wide"
          onClick={() => change({ density: one })}
          rightSection={density === one && check}
          aria-current={density === one || undefined}
        >
          {words.shell.densities[one]}
        </Menu.Item>
      ))}
      <Menu.Divider className="wide" />
      <Menu.Label>{words.shell.language}</Menu.Label>
      {languages.map(([code, name]) => (
        <Menu.Item
          key={code}
          lang={code}
          onClick={() => setLanguage(code)}
          rightSection={language === code && check}
          aria-current={language === code || undefined}
        >
          {name}
        </Menu.Item>
      ))}
      <Menu.Divider />
      <Menu.Item onClick={openKeys} rightSection={<kbd>?</kbd>}>
        {words.shell.allKeys}
      </Menu.Item>
      <Menu.Item onClick={() => openDialog('password')}>{words.session.changePassword}</Menu.Item>
      <Menu.Item onClick={() => openDialog('passkeys')}>{words.session.passkeys}</Menu.Item>
      <Menu.Item onClick={signOut}>{words.session.signOut}</Menu.Item>
    </>
  );
}
interface AccountItemsProps {
  readonly openKeys: () => void;
  readonly openDialog: (dialog: AccountDialog) => void;
}

/** The languages, each by its own name. */
export const languages = [
  ['en', 'English'],
  ['fr', 'Français'],
] as const;

/** Two letters for a name. */
function initials(name: string): string {
  const [first = '', second] = name.trim().split(/\s+/);
  return (second ? first.slice(0, 1) + second.slice(0, 1) : first.slice(0, 2)).toUpperCase();
}
