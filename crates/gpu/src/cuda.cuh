// What the kernels need of CUDA.
typedef unsigned long long u64;
typedef unsigned int u32;
#define DEVICE static __device__ __forceinline__
#define KERNEL(name) extern "C" __global__ void __launch_bounds__(256) name(const Arguments a)
#define THREAD ((u64)blockIdx.x * blockDim.x + threadIdx.x)
#define THREADS ((u64)gridDim.x * blockDim.x)

DEVICE u64 load(const u64 *at) { return *(const volatile u64 *)at; }
DEVICE void store(u64 *at, u64 value) { *(volatile u64 *)at = value; }
DEVICE void fence() { __threadfence(); }
DEVICE u64 multiply_high(u64 one, u64 other) { return __umul64hi(one, other); }
DEVICE u64 atomic_compare_exchange(u64 *at, u64 from, u64 to) { return atomicCAS(at, from, to); }
DEVICE void lower(u64 *at, u64 value) { atomicMin(at, value); }
DEVICE void add(u64 *at, u64 value) { atomicAdd(at, value); }

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
