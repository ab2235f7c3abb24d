// SPDX-License-Identifier: Apache-2.0
// DALEMBERT_SANITIZED: 1 where the address sanitizer watches the tests, else 0.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define DALEMBERT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define DALEMBERT_SANITIZED 1
#endif
#endif

#ifndef DALEMBERT_SANITIZED
#define DALEMBERT_SANITIZED 0
#endif
