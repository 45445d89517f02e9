import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api, dataOf } from '../api/client.ts';
import { PasswordField, SelectField, TextField } from '../parts/fields.tsx';
import { FormDrawer, MoreFields } from '../parts/form-drawer.tsx';
import { useSite } from '../session/session.tsx';
import { toast } from '../shell/toasts.tsx';
import { useWords } from '../words/words.tsx';
import type { Relay } from './relays-screen.tsx';
import { ServerForm } from './server-form.tsx';
import { useSettingsWords } from './words.ts';

const tlsModes = ['starttls', 'tls', 'none'] as const;
const providers = ['ses', 'mailgun', 'postmark', 'sendgrid', 'brevo', 'mailjet', 'generic'] as const;

/** Adds a relay, or changes one. A password that is left empty stays as it is. */
export function RelayForm({ relay, close }: RelayFormProps) {
  const texts = useSettingsWords().relays;
  const site = useSite();
  const queries = useQueryClient();
  const initial = {
    host: relay?.host ?? '',
    port: String(relay?.port ?? 587),
    tls: relay?.tls ?? ('starttls' as Relay['tls']),
    login: relay?.username ?? '',
    password: '',
    maxConnections: String(relay?.maxConnections ?? ''),
    messagesPerHour: relay?.messagesPerHour ? String(relay.messagesPerHour) : '',
    position: String(relay?.position ?? 1),
  };
  const save = async (typed: typeof initial) => {
    const host = typed.host.trim();
    const username = typed.login.trim() || null;
    const body = {
      host,
      port: Number(typed.port),
      tls: typed.tls,
      username,
      // Without a login there is no password; otherwise the stored one stays unless another is typed.
      ...(username === null ? { password: null } : typed.password !== '' && { password: typed.password }),
      ...(typed.maxConnections !== '' && { maxConnections: Number(typed.maxConnections) }),
      messagesPerHour: Number(typed.messagesPerHour),
      position: Number(typed.position),
    };
    const path = { idsite: site.name };
    if (relay)
      await dataOf(
        api.PUT('/admin/v1/sites/{idsite}/routes/{idRoute}', {
          params: { path: { ...path, idRoute: relay.id } },
          body,
        }),
      );
    else await dataOf(api.POST('/admin/v1/sites/{idsite}/routes', { params: { path }, body }));
    await queries.invalidateQueries({ queryKey: ['routes', site.name] });
    toast({ text: texts.saved(host) });
    return undefined;
  };
  return (
    <ServerForm
      texts={{
        ...texts,
        title: relay ? texts.change(relay.host) : texts.add,
        login: texts.user,
        loginText: texts.userText,
        passwordText: relay?.hasPassword ? texts.passwordKept : undefined,
      }}
      form="relay"
      id={relay?.id}
      loginProperty="username"
      isNew={relay === undefined}
      example="smtp.example.com"
      initial={initial}
      close={close}
      save={save}
      fields={(typed, set) => ({
        afterHost: (
          <SelectField
            property="tls"
            label={texts.encryption}
            value={typed.tls}
            onChange={(event) => set({ tls: event.currentTarget.value as Relay['tls'] })}
            data={tlsModes.map((value) => ({ value, label: texts.tls[value] }))}
          />
        ),
        atEnd: (
          <MoreFields title={texts.limits}>
            <TextField
              property="maxConnections"
              label={texts.connections}
              description={texts.connectionsText}
              inputMode="numeric"
              value={typed.maxConnections}
              onChange={(event) => set({ maxConnections: event.currentTarget.value })}
            />
            <TextField
              property="messagesPerHour"
              label={texts.perHour}
              description={texts.perHourText}
              inputMode="numeric"
              value={typed.messagesPerHour}
              onChange={(event) => set({ messagesPerHour: event.currentTarget.value })}
            />
            <TextField
              property="position"
              label={texts.order}
              description={texts.orderText}
              inputMode="numeric"
              value={typed.position}
              onChange={(event) => set({ position: event.currentTarget.value })}
            />
          </MoreFields>
        ),
      })}
    />
  );
}
interface RelayFormProps {
  /** Undefined for a new one. */
  readonly relay: Relay | undefined;
  readonly close: () => void;
}

/** Sets up the address to which the provider behind a relay reports bounces and complaints. */
export function WebhookForm({ relay, close }: { readonly relay: Relay; readonly close: () => void }) {
  const texts = useSettingsWords().relays;
  const { words } = useWords();
  const site = useSite();
  const queries = useQueryClient();
  const [provider, setProvider] = useState<(typeof providers)[number]>(relay.webhook?.provider ?? 'ses');
  const [secret, setSecret] = useState('');
  const isKept = relay.webhook?.provider === provider;
  const save = async () => {
    if (secret === '' && !isKept) return { secret: texts.noSecret };
    await dataOf(
      api.PUT('/admin/v1/sites/{idsite}/routes/{idRoute}/webhook', {
        params: { path: { idsite: site.name, idRoute: relay.id } },
        body: { provider, ...(secret !== '' && { secret }) },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['routes', site.name] });
    toast({ text: texts.webhookSaved });
    return undefined;
  };
  return (
    <FormDrawer title={texts.webhookTitle(relay.host)} close={close} save={save}>
      <p className="text-2">{texts.webhookText}</p>
      <SelectField
        property="provider"
        data-autofocus
        label={texts.provider}
        value={provider}
        onChange={(event) => setProvider(event.currentTarget.value as typeof provider)}
        data={providers.map((value) => ({ value, label: texts.providers[value] }))}
      />
      <PasswordField
        property="secret"
        label={texts.secret}
        description={isKept ? `${texts.secrets[provider]} ${texts.secretKept}` : texts.secrets[provider]}
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': words.session.showPassword, tabIndex: 0 }}
        value={secret}
        onChange={(event) => setSecret(event.currentTarget.value)}
      />
    </FormDrawer>
  );
}
