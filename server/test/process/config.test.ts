import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { type Config, readConfig, variables } from '../../src/main/settings.ts';
import { ConfigError } from '../../src/platform/config.ts';
import { checkout } from './godwit.ts';

type Case = {
  fallback: unknown;
  good: [given: string, read: unknown][];
  bad: [given: string, says: string][];
};

const key = (letter: string) => Buffer.alloc(32, letter).toString('base64');
const wholeFrom = (least: number, most: number) => `must be a whole number from ${least} to ${most}.`;
const proxies = 'must be addresses or CIDR ranges, comma-separated, such as 10.0.0.0/8.';
const mailFrom = 'must be an address such as Godwit <no-reply@example.com>.';
const masterKeys = 'must be 32 bytes in base64, which is 44 characters, or several such, comma-separated.';

const pem = { type: 'pkcs8', format: 'pem' } as const;
const rsaKey = (modulusLength: number) =>
  generateKeyPairSync('rsa', { modulusLength }).privateKey.export(pem).toString().trim();
const signingKey = rsaKey(1_024);
const mailName: Case = {
  fallback: null,
  good: [['mail.example.org', 'mail.example.org']],
  bad: ['a b', 'a..b', 'x; d=evil', 'a\nb', 'https://a', 'x'.repeat(254)].map((given) => [
    given,
    'must be a name such as example.com.',
  ]),
};

const collector: Case = {
  fallback: null,
  good: [
    ['http://collector:4318/', 'http://collector:4318'],
    ['https://otlp.example.org/base', 'https://otlp.example.org/base'],
  ],
  bad: [
    ...['collector:4318', 'grpc://collector:4317', 'http://[bad', 'http://'].map(
      (given): [string, string] => [given, 'must be a URL such as http://….'],
    ),
    ['https://me:word@collector', 'must name no user: credentials belong into OTEL_EXPORTER_OTLP_HEADERS.'],
  ],
};

const cases: { [K in keyof Config]: Case } = {
  port: {
    fallback: 8080,
    good: [
      ['0', 0],
      ['80', 80],
      ['65535', 65_535],
      [' 3000 ', 3000],
    ],
    bad: ['abc', '-1', '65536', '80.5', '0x50', '1e3', '8 0'].map((given) => [given, wholeFrom(0, 65_535)]),
  },
  host: {
    fallback: '127.0.0.1',
    good: [
      ['0.0.0.0', '0.0.0.0'],
      ['::', '::'],
      ['localhost', 'localhost'],
    ],
    bad: [],
  },
  publicUrl: {
    fallback: null,
    good: [
      ['https://api.example.org', 'https://api.example.org'],
      ['http://localhost:8080/', 'http://localhost:8080'],
    ],
    bad: ['api.example.org', 'ftp://example.org', 'https//x'].map((given) => [
      given,
      'must be a URL such as https://….',
    ]),
  },
  databaseUrl: {
    fallback: null,
    good: [
      ['postgres://me:word@db.example.org:5432/godwit', 'postgres://me:word@db.example.org:5432/godwit'],
      ['postgresql://db/godwit?sslmode=require', 'postgresql://db/godwit?sslmode=require'],
      [
        'postgres://me:word@/godwit?host=%2Ftmp&port=5433',
        'postgres://me:word@/godwit?host=%2Ftmp&port=5433',
      ],
    ],
    bad: ['mysql://db/x', 'db.example.org', 'localhost:5432'].map((given) => [
      given,
      'must be a URL such as postgres://….',
    ]),
  },
  dataDir: {
    fallback: join(checkout, '.godwit'),
    good: [
      ['/var/lib/x', '/var/lib/x'],
      ['here', resolve('here')],
    ],
    bad: [],
  },
  logLevel: {
    fallback: 'info',
    good: ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'].map((level) => [level, level]),
    bad: ['loud', 'INFO', 'verbose'].map((given) => [
      given,
      'must be one of trace, debug, info, warn, error, fatal, silent.',
    ]),
  },
  masterKey: {
    fallback: null,
    good: [
      [key('a'), key('a')],
      [`${key('b')}, ${key('a')}`, `${key('b')}, ${key('a')}`],
    ],
    bad: ['short', key('a').slice(0, -1), `${key('a')},`, 'a'.repeat(44)].map((given) => [given, masterKeys]),
  },
  region: {
    fallback: 'local',
    good: [
      ['eu-west-1', 'eu-west-1'],
      ['a', 'a'],
    ],
    bad: ['EU', 'eu west', 'a'.repeat(33), 'eu_west'].map((given) => [
      given,
      'must be 1 to 32 of a-z, 0-9 and -.',
    ]),
  },
  trustedProxies: {
    fallback: [],
    good: [
      ['10.0.0.1', ['10.0.0.1']],
      ['10.0.0.0/8, ::1,fd00::/8', ['10.0.0.0/8', '::1', 'fd00::/8']],
    ],
    bad: ['proxy.example.org', '10.0.0.0/33', '10.0.0.1;10.0.0.2', 'true'].map((given) => [given, proxies]),
  },
  databaseConnections: {
    fallback: 20,
    good: [
      ['2', 2],
      ['500', 500],
    ],
    bad: ['1', '501', 'many'].map((given) => [given, wholeFrom(2, 500)]),
  },
  databaseWaitMs: {
    fallback: 1_000,
    good: [
      ['100', 100],
      ['60000', 60_000],
    ],
    bad: ['99', '60001', 'long'].map((given) => [given, wholeFrom(100, 60_000)]),
  },
  databaseAnswerMs: {
    fallback: 8_000,
    good: [
      ['1000', 1_000],
      ['600000', 600_000],
    ],
    bad: ['999', '600001', 'long'].map((given) => [given, wholeFrom(1_000, 600_000)]),
  },
  rateLimitStore: {
    fallback: 'auto',
    good: ['auto', 'memory', 'postgres'].map((store) => [store, store]),
    bad: ['redis', 'Auto'].map((given) => [given, 'must be one of auto, memory, postgres.']),
  },
  requestsPerSecond: {
    fallback: 100,
    good: [
      ['1', 1],
      ['1000000', 1_000_000],
    ],
    bad: ['0', '1000001', '2.5', 'all'].map((given) => [given, wholeFrom(1, 1_000_000)]),
  },
  requestsTogether: {
    fallback: 256,
    good: [
      ['1', 1],
      ['1000', 1000],
    ],
    bad: ['0', '1001'].map((given) => [given, wholeFrom(1, 1_000)]),
  },
  metricsToken: {
    fallback: null,
    good: [['a token', 'a token']],
    bad: [],
  },
  simulatorPort: {
    fallback: null,
    good: [
      ['0', 0],
      ['8090', 8090],
    ],
    bad: ['abc', '65536'].map((given) => [given, wholeFrom(0, 65_535)]),
  },
  paymentSimulatorPort: {
    fallback: null,
    good: [['8090', 8090]],
    bad: ['abc', '65536'].map((given) => [given, wholeFrom(0, 65_535)]),
  },
  paymentSimulatorUrl: {
    fallback: null,
    good: [['http://simulator:8082/', 'http://simulator:8082']],
    bad: [['simulator:8082', 'must be a URL such as http://….']],
  },
  paymentSecretKey: {
    fallback: null,
    good: [
      ['sk_live_abc', 'sk_live_abc'],
      ['rk_live_abc', 'rk_live_abc'],
    ],
    bad: ['sk_test_abc', 'pk_live_abc', 'abc'].map((given) => [
      given,
      'must be a live key, sk_live_… or rk_live_….',
    ]),
  },
  paymentWebhookSecrets: {
    fallback: [],
    good: [
      ['whsec_a', ['whsec_a']],
      ['whsec_b, whsec_a', ['whsec_b', 'whsec_a']],
    ],
    bad: [
      ['abc', 'must begin with whsec_.'],
      ['whsec_a,whsec_b,whsec_c', 'must be one secret, or two separated by a comma.'],
    ],
  },
  paymentBaseUrl: {
    fallback: 'https://api.stripe.com',
    good: [['http://127.0.0.1:8082/', 'http://127.0.0.1:8082']],
    bad: [['api.stripe.com', 'must be a URL such as https://….']],
  },
  smtpUrl: {
    fallback: null,
    good: [['smtps://user:word@mail.example.org', 'smtps://user:word@mail.example.org']],
    bad: ['mail.example.org', 'https://mail.example.org'].map((given) => [
      given,
      'must be a URL such as smtps://….',
    ]),
  },
  mailFrom: {
    fallback: 'Godwit <godwit@localhost>',
    good: [
      ['no-reply@example.org', 'no-reply@example.org'],
      ['Example <no-reply@example.org>', 'Example <no-reply@example.org>'],
    ],
    bad: ['example.org', 'a@b, c@d', 'A <a@b> B', 'A <a@b>\r\nBcc: c@d'].map((given) => [given, mailFrom]),
  },
  dkimDomain: mailName,
  dkimSelector: mailName,
  dkimPrivateKey: {
    fallback: null,
    good: [
      [signingKey, signingKey],
      [signingKey.replaceAll('\n', '\\n'), signingKey],
    ],
    bad: [
      'a key',
      signingKey.slice(0, 200),
      rsaKey(768),
      generateKeyPairSync('ed25519').privateKey.export(pem).toString(),
    ].map((given) => [given, 'must be an RSA key in PEM, of 1024 bits or more.']),
  },
  allowPrivateWebhooks: {
    fallback: false,
    good: [
      ['true', true],
      ['false', false],
    ],
    bad: ['yes', '1', 'TRUE'].map((given) => [given, 'must be one of true, false.']),
  },
  providerBaseUrl: {
    fallback: 'https://graph.facebook.com',
    good: [['https://graph.example.org/', 'https://graph.example.org']],
    bad: ['graph.facebook.com', 'ftp://x'].map((given) => [given, 'must be a URL such as https://….']),
  },
  providerApiVersion: {
    fallback: 'v24.0',
    good: [['v25.0', 'v25.0']],
    bad: ['24.0', 'v24', 'latest', 'v24.0/x'].map((given) => [given, 'must be a version such as v24.0.']),
  },
  sandboxApiVersion: {
    fallback: null,
    good: [['v26.0', 'v26.0']],
    bad: ['26.0', 'v26', 'next'].map((given) => [given, 'must be a version such as v24.0.']),
  },
  providerSignupUrl: {
    fallback: 'https://www.facebook.com',
    good: [['https://signup.example/', 'https://signup.example']],
    bad: [['signup.example', 'must be a URL such as https://….']],
  },
  providerSignupConfigId: { fallback: null, good: [['1234567890', '1234567890']], bad: [] },
  providerCanary: {
    fallback: null,
    good: [['WB01K3SAMP1E0000000000000000', 'WB01K3SAMP1E0000000000000000']],
    bad: ['1234567890', 'WA01K3SAMP1E0000000000000000', 'WB01'].map((given) => [
      given,
      'must be the SID of a business account, WB….',
    ]),
  },
  providerAppId: { fallback: null, good: [['1234567890', '1234567890']], bad: [] },
  providerAppSecret: { fallback: null, good: [['abc', 'abc']], bad: [] },
  providerVerifyToken: { fallback: null, good: [['word', 'word']], bad: [] },
  partnerBusinessId: {
    fallback: null,
    good: [['300000000000001', '300000000000001']],
    bad: ['1234', 'business', '3e14', '1'.repeat(21)].map((given) => [
      given,
      "must be the business's id, 5 to 20 digits.",
    ]),
  },
  partnerAccessToken: { fallback: null, good: [['word', 'word']], bad: [] },
  partnerTermsVersion: {
    fallback: '2026-11-16',
    good: [['v2 of May', 'v2 of May']],
    bad: [['v'.repeat(129), 'must have at most 128 characters.']],
  },
  managedOnboarding: {
    fallback: 'closed',
    good: [['open', 'open']],
    bad: ['yes', 'OPEN'].map((given) => [given, 'must be one of closed, open.']),
  },
  managedOnboardingTermsVersion: {
    fallback: null,
    good: [['v2 of May', 'v2 of May']],
    bad: [['v'.repeat(129), 'must have at most 128 characters.']],
  },
  managedOnboardingTerms: { fallback: null, good: [['We set you up.', 'We set you up.']], bad: [] },
  managedOnboardingPrices: {
    fallback: null,
    good: [
      [
        '{"currency":"EUR","setup":"50","number":"10.5","porting":"0","rent":"5","countries":{"FR":{"rent":"6.1234"}}}',
        {
          currency: 'EUR',
          setup: '50',
          number: '10.5',
          porting: '0',
          rent: '5',
          countries: { FR: { rent: '6.1234' } },
        },
      ],
    ],
    bad: [
      '50',
      'null',
      '{}',
      '{"currency":"EUR","setup":50,"number":"1","porting":"1","rent":"1"}',
      '{"currency":"EUR","setup":"-1","number":"1","porting":"1","rent":"1"}',
      '{"currency":"EUR","setup":"1.23456","number":"1","porting":"1","rent":"1"}',
      '{"currency":"euro","setup":"1","number":"1","porting":"1","rent":"1"}',
      '{"currency":"EUR","setup":"1","number":"1","porting":"1","rent":"1","fee":"1"}',
      '{"currency":"EUR","setup":"1","number":"1","porting":"1","rent":"1","countries":{"France":{}}}',
    ].map((given) => [
      given,
      'must be JSON such as {"currency":"USD","setup":"50","number":"10","porting":"20","rent":"5","countries":{"FR":{"rent":"6"}}}.',
    ]),
  },
  pricingRemediationSecrets: {
    fallback: [],
    good: [
      ['a'.repeat(32), ['a'.repeat(32)]],
      [`${'a'.repeat(32)}, ${'b'.repeat(40)}`, ['a'.repeat(32), 'b'.repeat(40)]],
    ],
    bad: [
      ['short', 'must have 32 characters or more.'],
      [`${'a'.repeat(32)},`, 'must have 32 characters or more.'],
      [Array(3).fill('a'.repeat(32)).join(','), 'must be one secret, or two with a comma between.'],
    ],
  },
  simulatorUrl: {
    fallback: null,
    good: [['http://simulator:8081/', 'http://simulator:8081']],
    bad: ['simulator:8081'].map((given) => [given, 'must be a URL such as http://….']),
  },
  mediaStore: {
    fallback: null,
    good: [
      ['file:///srv/media/', 'file:///srv/media'],
      ['s3://bucket/media?region=eu-west-3', 's3://bucket/media?region=eu-west-3'],
    ],
    bad: ['/srv/media', 'https://bucket.example'].map((given) => [given, 'must be a URL such as file://….']),
  },
  s3AccessKeyId: { fallback: null, good: [['key', 'key']], bad: [] },
  s3SecretAccessKey: { fallback: null, good: [['secret', 'secret']], bad: [] },
  backupDays: {
    fallback: 30,
    good: [['0', 0]],
    bad: ['-1', '3651'].map((given) => [given, wholeFrom(0, 3_650)]),
  },
  mediaRetentionDays: {
    fallback: 30,
    good: [['365', 365]],
    bad: ['0', '3651'].map((given) => [given, wholeFrom(1, 3_650)]),
  },
  erasureDelayMinutes: {
    fallback: 10,
    good: [
      ['0', 0],
      ['60', 60],
    ],
    bad: ['-1', '1441'].map((given) => [given, wholeFrom(0, 1_440)]),
  },
  mediaFetchSeconds: {
    fallback: 60,
    good: [['1', 1]],
    bad: ['0', '601'].map((given) => [given, wholeFrom(1, 600)]),
  },
  clamdUrl: {
    fallback: null,
    good: [
      ['tcp://clamav:3310', 'tcp://clamav:3310'],
      ['unix:///run/clamd.sock', 'unix:///run/clamd.sock'],
    ],
    bad: ['clamav:3310', 'http://clamav'].map((given) => [given, 'must be a URL such as tcp://….']),
  },
  otlpEndpoint: collector,
  otlpTracesEndpoint: collector,
  otlpHeaders: {
    fallback: {},
    good: [
      ['api-key=abc', { 'api-key': 'abc' }],
      [
        'Authorization=Basic%20dTpw%3D%3D, x-team = a b ,',
        { authorization: 'Basic dTpw==', 'x-team': 'a b' },
      ],
      ['x-empty=', { 'x-empty': '' }],
      ['x-equals=a=b', { 'x-equals': 'a=b' }],
    ],
    bad: ['abc', '=abc', 'a b=c', 'a=%0d%0ab', 'a=%zz', 'a=%C3%A9', 'ä=b', 'a=\u0001'].map((given) => [
      given,
      'must be name=value, comma-separated, with values percent-encoded.',
    ]),
  },
  otelServiceName: { fallback: 'godwit', good: [['godwit-eu', 'godwit-eu']], bad: [] },
  tracesRatio: {
    fallback: 1,
    good: [
      ['0', 0],
      ['0.25', 0.25],
      ['.5', 0.5],
      ['1.0', 1],
    ],
    bad: ['1.1', '-0.5', '1e-3', 'half', '50%', '0.', 'NaN'].map((given) => [
      given,
      'must be a number from 0 to 1.',
    ]),
  },
};

for (const [field, { fallback, good, bad }] of Object.entries(cases) as [keyof Config, Case][]) {
  const { name } = variables[field];

  test(`${name} has its default, also when it is set to nothing`, () => {
    for (const env of [{}, { [name]: '' }, { [name]: '  ' }]) {
      assert.deepEqual(readConfig(env)[field], fallback);
    }
  });

  test(`${name} is read`, () => {
    for (const [given, read] of good) assert.deepEqual(readConfig({ [name]: given })[field], read, given);
  });

  test(`${name} is refused by its name, with what it should be and without what it was`, () => {
    for (const [given, says] of bad) {
      assert.throws(() => readConfig({ [name]: given }), new ConfigError(`${name} ${says}`), given);
    }
  });
}

test('the README lists exactly the variables there are, with their defaults', async () => {
  const readme = await readFile(join(checkout, 'README.md'), 'utf8');
  const listed = [...readme.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \| (?:`([^`]*)`)?/gm)].map(
    ([, name, fallback = '']) => [name, fallback],
  );
  const there = Object.values(variables).map(({ name, fallback }) => [
    name,
    name === 'DATA_DIR' ? '.godwit' : fallback,
  ]);
  assert.deepEqual(listed, there);
});
