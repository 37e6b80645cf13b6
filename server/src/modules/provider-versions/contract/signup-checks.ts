// Signing up at the provider: a code becomes a token, and a token says what it opens.
import { appOf, type Check, given, refusedWith, same, writing } from './check.ts';

/** Where whoever signs up comes back to. */
const redirectUri = 'https://contract.example/return';

export const signupChecks: Check[] = [
  writing('code of a signup is exchanged for a token that opens the account', async (stage) => {
    const { provider, connection, wabaId, byHand } = stage;
    const app = appOf(stage);
    const code = await byHand.signUp(connection);
    const { accessToken } = given(await provider.exchangeCode(app, { code, redirectUri }));
    same(given(await provider.debugToken(app, accessToken)), {
      valid: true,
      appId: app.appId,
      wabaIds: [wabaId],
    });
    given(await provider.getWaba({ ...connection, accessToken }, wabaId));
  }),
  writing('code of a signup is exchanged once', async (stage) => {
    const { provider, connection, byHand } = stage;
    const exchanged = { code: await byHand.signUp(connection), redirectUri };
    given(await provider.exchangeCode(appOf(stage), exchanged));
    refusedWith(await provider.exchangeCode(appOf(stage), exchanged), 'ONBOARDING_CODE_EXPIRED');
  }),
  writing('code is exchanged by nobody who does not know the secret of the app', async (stage) => {
    const { provider, connection, byHand } = stage;
    const exchanged = { code: await byHand.signUp(connection), redirectUri };
    refusedWith(
      await provider.exchangeCode({ ...appOf(stage), appSecret: 'another' }, exchanged),
      'VALIDATION_ERROR',
      'PROVIDER_TOKEN_INVALID',
    );
  }),
  writing('token that is none is said to be invalid', async (stage) => {
    const { valid } = given(await stage.provider.debugToken(appOf(stage), 'nonsense'));
    same(valid, false);
  }),
];
