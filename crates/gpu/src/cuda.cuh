// What the kernels need of CUDA.
typedef unsigned long long u64;
typedef unsigned int u32;
#define DEVICE static __device__ __forceinline__
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(const Arguments a)
#define THREAD ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS ((u64)gridDim.x * blockDim.x)
// The threads of a block, and the number of one of them.
#define BLOCK 256
#define IN_BLOCK threadIdx.x
#define OF_BLOCK(type, name, count) __shared__ type name[count];
#define BARRIER __syncthreads();
// The threads of a warp go on together.
#define TOGETHER __syncwarp();
// States that a block gathers.
#define GATHERED (1024 / WORDS)
#define UNROLLED _Pragma("unroll")

#define FIXED(at) __ldg(at)

DEVICE u64 load(const u64 *at) { return *(const volatile u64 *)at; }
// Two words side by side, each in one step.
DEVICE void load_two(const u64 *at, u64 *seen) {
    asm volatile("ld.volatile.global.v2.u64 {%0, %1}, [%2];" : "=l"(seen[0]), "=l"(seen[1]) : "l"(at) : "memory");
}
DEVICE void store(u64 *at, u64 value) { *(volatile u64 *)at = value; }
DEVICE void fence() { __threadfence(); }
DEVICE u64 multiply_high(u64 one, u64 other) { return __umul64hi(one, other); }
DEVICE u64 atomic_compare_exchange(u64 *at, u64 from, u64 to) { return atomicCAS(at, from, to); }
DEVICE void lower(u64 *at, u64 value) { atomicMin(at, value); }
DEVICE void add(u64 *at, u64 value) { atomicAdd(at, value); }
DEVICE u64 fetch_add(u64 *at, u64 value) { return atomicAdd(at, value); }
DEVICE u32 add_in_block(u32 *at) { return atomicAdd(at, 1u); }
DEVICE void add_in_block(u64 *at, u64 value) { atomicAdd(at, value); }

#if SLOT == 2 && __CUDA_ARCH__ >= 900
#define HAS_PAIRS
DEVICE void load_pair(const u64 *at, u64 *seen) {
    asm volatile("{ .reg .b128 pair; ld.relaxed.gpu.global.b128 pair, [%2]; mov.b128 {%0, %1}, pair; }"
                 : "=l"(seen[0]), "=l"(seen[1]) : "l"(at) : "memory");
}
// Exchanges two words of ones.
DEVICE void claim_pair(u64 *at, const u64 *wanted, u64 *seen) {
    asm volatile("{ .reg .b128 pair, empty, wanted; mov.b128 empty, {%5, %5}; mov.b128 wanted, {%3, %4};\n"
                 "  atom.relaxed.gpu.global.cas.b128 pair, [%2], empty, wanted; mov.b128 {%0, %1}, pair; }"
                 : "=l"(seen[0]), "=l"(seen[1])
                 : "l"(at), "l"(wanted[0]), "l"(wanted[1]), "l"(~0ull) : "memory");
}
#endif

// One addition for all threads of a warp that are here.
DEVICE u64 add_one(u64 *at) {
    const u32 here = __activemask();
    u32 lane;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    const int leader = __ffs(here) - 1;
    u64 first = 0;
    if ((int)lane == leader) first = atomicAdd(at, (u64)__popc(here));
    first = __shfl_sync(here, first, leader);
    return first + __popc(here & ((1u << lane) - 1));
}
