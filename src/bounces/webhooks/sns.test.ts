import { beforeAll, expect, it } from 'vitest';
import { FetchFailure } from '../../platform/egress-fetch.ts';
import { describeWith } from '../../testing/daemon.ts';
import { SnsDouble } from '../../testing/webhooks.ts';
import { Unproved } from './proved-request.ts';
import { SnsTopics } from './sns.ts';

describeWith('openssl', 'SnsTopics', () => {
  let sns: SnsDouble;
  // The certificate is valid from the moment when it is made.
  let now: Date;
  beforeAll(() => {
    sns = new SnsDouble();
    now = new Date();
  });
  const open = (message: unknown, topics = new SnsTopics(sns.fetch)) => topics.open(message, sns.topic, now);

  it.each(['1', '2'])('opens a message with a signature of version %s', async (SignatureVersion) => {
    const message = sns.notification({ eventType: 'Bounce' }, now, { SignatureVersion });
    expect(await open(message)).toEqual({ events: { eventType: 'Bounce' }, id: message.MessageId });
  });

  it('opens a message without a subject, and one whose message is a text', async () => {
    const { Subject: _, ...message } = sns.notification('Successfully validated SNS topic', now, {
      Subject: '',
    });
    expect(await open(message)).toMatchObject({ events: [] });
  });

  it('fetches the certificate once', async () => {
    const topics = new SnsTopics(sns.fetch);
    const before = sns.fetched.length;
    for (let i = 0; i < 3; i++) await open(sns.notification({}, now), topics);
    expect(sns.fetched.slice(before)).toEqual([sns.certificateUrl]);
  });

  it.each(['Message', 'MessageId', 'Subject', 'Timestamp', 'Type', 'Signature', 'SignatureVersion'])(
    'rejects a message whose %s was changed',
    async (name) => {
      const message = { ...sns.notification({}, now), [name]: name === 'SignatureVersion' ? '3' : 'other' };
      await expect(open(message)).rejects.toThrow(Unproved);
    },
  );

  it('rejects what Amazon signed for a topic of another caller, before it fetches anything', async () => {
    const before = sns.fetched.length;
    const message = sns.notification({}, now, { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:bounces' });
    await expect(open(message)).rejects.toThrow('another topic');
    expect(sns.fetched).toHaveLength(before);
  });

  const file = 'SimpleNotificationService-9c6465fa7f48f5cacd23014631ec1136.pem';
  it.each([
    `http://sns.eu-west-1.amazonaws.com/${file}`,
    `https://sns.us-east-1.amazonaws.com/${file}`,
    `https://sns.eu-west-1.amazonaws.com.evil.example/${file}`,
    `https://sns.eu-west-1.amazonaws.com@evil.example/${file}`,
    `https://evil.example/sns.eu-west-1.amazonaws.com/${file}`,
    `https://sns.eu-west-1.amazonaws.com:8443/${file}`,
    `https://sns.eu-west-1.amazonaws.com/../${file}`,
    `https://sns.eu-west-1.amazonaws.com/${file}?x=http://10.0.0.1/`,
    'https://s3.eu-west-1.amazonaws.com/bucket/cert.pem',
    'https://169.254.169.254/latest/meta-data/cert.pem',
    'file:///etc/ssl/cert.pem',
    ` https://sns.eu-west-1.amazonaws.com/${file}`,
    '',
  ])('never fetches a certificate from %s', async (SigningCertURL) => {
    const before = sns.fetched.length;
    await expect(open(sns.notification({}, now, { SigningCertURL }))).rejects.toThrow('SigningCertURL');
    expect(sns.fetched).toHaveLength(before);
  });

  it('rejects an expired certificate, and a file of another kind', async () => {
    const later = new Date(now.getTime() + 10 * 365 * 86_400_000);
    const topics = new SnsTopics(sns.fetch);
    await expect(topics.open(sns.notification({}, later), sns.topic, later)).rejects.toThrow('not valid now');
    const none = new SnsTopics(async () => Buffer.from('<html>no certificate</html>'));
    await expect(open(sns.notification({}, now), none)).rejects.toThrow('no certificate');
  });

  it('rejects a message that another key has signed', async () => {
    await expect(open(new SnsDouble().notification({}, now))).rejects.toThrow('wrong signature');
  });

  it('confirms a subscription at Amazon alone', async () => {
    const proved = await open(sns.confirmation(now));
    await proved.confirm?.();
    expect(sns.fetched.at(-1)).toMatch(
      /^https:\/\/sns\.eu-west-1\.amazonaws\.com\/\?Action=ConfirmSubscription&/,
    );
    const before = sns.fetched.length;
    for (const SubscribeURL of [
      'http://169.254.169.254/latest/meta-data/',
      'https://sns.eu-west-1.amazonaws.com.evil.example/?Action=ConfirmSubscription&',
      'https://sns.eu-west-1.amazonaws.com/?Action=DeleteTopic&',
    ])
      await expect(open(sns.confirmation(now, { SubscribeURL }))).rejects.toThrow('SubscribeURL');
    expect(sns.fetched.length - before).toBeLessThanOrEqual(3);
    expect(sns.fetched.slice(before).every((address) => address === sns.certificateUrl)).toBe(true);
  });

  it('reads nothing in a message that nests too deep', async () => {
    expect(await open(sns.notification('['.repeat(100_000), now))).toMatchObject({ events: [] });
  });

  it('fails, and rejects nothing, while the certificate cannot be fetched', async () => {
    const away = new SnsTopics(() =>
      Promise.reject(new FetchFailure('no complete response within 10 seconds')),
    );
    await expect(open(sns.notification({}, now), away)).rejects.toThrow(FetchFailure);
  });
});
