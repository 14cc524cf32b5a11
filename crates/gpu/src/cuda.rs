//! NVIDIA cards: the driver and the compiler NVRTC, both found when they are needed.

use std::sync::Arc;

use cudarc::driver::{
    CudaContext, CudaFunction, CudaSlice, CudaStream, DevicePtr, DevicePtrMut, DeviceRepr,
    DriverError, LaunchConfig, PushKernelArg,
};
use cudarc::nvrtc::{CompileError, CompileOptions, compile_ptx_with_opts};

use crate::device::{Arguments, Device, Failed, Kernel};
use crate::engine::{Engine, Room};

/// What the kernels need of CUDA.
const PRELUDE: &str = include_str!("cuda.cuh");
/// Threads of a block; `cuda.cuh` says the same.
const BLOCK: u32 = 256;
/// Blocks for each multiprocessor: a few more than it runs at once.
const BLOCKS: u32 = 32;
/// The oldest cards whose threads wait for each other in one warp.
const OLDEST: (i32, i32) = (7, 0);

/// An NVIDIA card.
#[derive(Debug)]
pub struct Cuda {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    capability: (i32, i32),
    most_blocks: u32,
}

/// Kernels that were compiled.
#[derive(Debug)]
pub struct Kernels(Vec<(Kernel, CudaFunction)>);

// SAFETY: it consists of plain words, as the `struct` of the same name in the kernels' text does.
#[expect(unsafe_code, reason = "the only way to say that")]
unsafe impl DeviceRepr for Arguments {}

impl Cuda {
    /// An engine on the first card of this machine; otherwise what is missing, for people.
    pub fn open(room: Room) -> Result<Engine<Self>, Failed> {
        // SAFETY: the libraries are those of NVIDIA, which do nothing when they are loaded but get ready.
        #[expect(unsafe_code, reason = "loading a library runs its code")]
        let (has_driver, has_compiler) = unsafe {
            (cudarc::driver::sys::is_culib_present(), cudarc::nvrtc::sys::is_culib_present())
        };
        if !has_driver {
            return Err(Failed("there is no NVIDIA driver (libcuda) on this machine".to_owned()));
        }
        if !has_compiler {
            let why = "the CUDA compiler library (libnvrtc) was not found: install the CUDA toolkit, or put \
                       its folder of libraries into LD_LIBRARY_PATH";
            return Err(Failed(why.to_owned()));
        }
        let context = CudaContext::new(0).map_err(failed)?;
        // All work is on one stream, which keeps it in order.
        #[expect(unsafe_code, reason = "with several streams it would be unsound")]
        // SAFETY: there is one stream.
        unsafe {
            context.disable_event_tracking();
        }
        let capability = context.compute_capability().map_err(failed)?;
        if capability < OLDEST {
            let (major, minor) = capability;
            let why = format!(
                "the card has compute capability {major}.{minor}; {}.{} is the least that will do",
                OLDEST.0, OLDEST.1
            );
            return Err(Failed(why));
        }
        let multiprocessors =
            cudarc::driver::sys::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT;
        let multiprocessors = context.attribute(multiprocessors).map_err(failed)?;
        let most_blocks = u32::try_from(multiprocessors).unwrap_or(1).saturating_mul(BLOCKS);
        let stream = context.default_stream();
        let card = Self { context, stream, capability, most_blocks };
        Ok(Engine::new(card, PRELUDE, room))
    }
}

fn failed(error: DriverError) -> Failed {
    Failed(format!("the graphics card failed: {error}"))
}

impl Device for Cuda {
    type Buffer = CudaSlice<u64>;
    type Compiled = Kernels;

    fn compile(&self, text: &str, kernels: &[Kernel]) -> Result<Kernels, Failed> {
        let (major, minor) = self.capability;
        // Of a virtual architecture NVRTC makes PTX alone. The driver makes machine code of that in any case, and keeps it.
        let options = vec![format!("--gpu-architecture=compute_{major}{minor}")];
        let options = CompileOptions { options, ..CompileOptions::default() };
        let compiled = compile_ptx_with_opts(text, options).map_err(|error| match error {
            CompileError::CompileError { log, .. } => {
                Failed(format!("the kernels do not compile: {}", log.to_string_lossy()))
            }
            other @ (CompileError::CreationError(_)
            | CompileError::GetLogError(_)
            | CompileError::GetPtxError(_)
            | CompileError::DestroyError(_)) => {
                Failed(format!("the kernels cannot be compiled: {other}"))
            }
        })?;
        let module = self.context.load_module(compiled).map_err(failed)?;
        let load = |kernel: &Kernel| Ok((*kernel, module.load_function(kernel.name())?));
        kernels.iter().map(load).collect::<Result<_, _>>().map(Kernels).map_err(failed)
    }

    fn free_memory(&self) -> Result<usize, Failed> {
        self.stream.synchronize().map_err(failed)?;
        self.context.mem_get_info().map(|(free, _)| free).map_err(failed)
    }

    fn reserve(&self, words: usize) -> Result<CudaSlice<u64>, Failed> {
        // SAFETY: whatever it holds are words.
        #[expect(unsafe_code, reason = "it is not worth filling")]
        let buffer = unsafe { self.stream.alloc::<u64>(words) };
        buffer.map_err(failed)
    }

    fn fill(&self, buffer: &mut CudaSlice<u64>) -> Result<(), Failed> {
        let bytes = buffer.num_bytes();
        let (address, _guard) = buffer.device_ptr_mut(&self.stream);
        // SAFETY: the buffer has so many bytes.
        #[expect(unsafe_code, reason = "there is no other way to fill it with ones")]
        let filled = unsafe {
            cudarc::driver::result::memset_d8_async(
                address,
                u8::MAX,
                bytes,
                self.stream.cu_stream(),
            )
        };
        filled.map_err(failed)
    }

    fn write(&self, buffer: &mut CudaSlice<u64>, words: &[u64]) -> Result<(), Failed> {
        if words.is_empty() {
            return Ok(());
        }
        let mut place = buffer.slice_mut(..words.len());
        self.stream.memcpy_htod(words, &mut place).map_err(failed)
    }

    fn read(&self, buffer: &CudaSlice<u64>, words: usize) -> Result<Vec<u64>, Failed> {
        let mut read = vec![0; words];
        if words > 0 {
            let place = buffer.slice(..words);
            self.stream.memcpy_dtoh(&place, &mut read).map_err(failed)?;
        }
        self.stream.synchronize().map_err(failed)?;
        Ok(read)
    }

    fn address(&self, buffer: &CudaSlice<u64>) -> u64 {
        let (address, _guard) = buffer.device_ptr(&self.stream);
        address
    }

    fn launch(
        &self,
        Kernels(kernels): &Kernels,
        kernel: Kernel,
        arguments: &Arguments,
    ) -> Result<(), Failed> {
        let (_, function) =
            kernels.iter().find(|(one, _)| *one == kernel).expect("one that was compiled");
        let blocks = arguments.count.div_ceil(u64::from(BLOCK)).max(1);
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX).min(self.most_blocks);
        let config = LaunchConfig {
            grid_dim: (blocks, 1, 1),
            block_dim: (BLOCK, 1, 1),
            shared_mem_bytes: 0,
        };
        // SAFETY: the arguments are what the kernel takes, and the caller says that they are
        // addresses of memory that is there and large enough.
        #[expect(unsafe_code, reason = "the compiler cannot look into the kernel")]
        let launched =
            unsafe { self.stream.launch_builder(function).arg(arguments).launch(config) };
        launched.map(drop).map_err(failed)
    }
}
